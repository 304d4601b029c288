package server

import (
	"maps"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"github.com/tailgate/tailgate/services/gin-api/internal/store"
)

const yearAndMonth = "2006-01"

type summaryReply struct {
	ID           int64        `json:"id"`
	Name         string       `json:"name"`
	Orders       int          `json:"orders"`
	Items        int64        `json:"items"`
	TotalCents   int64        `json:"total_cents"`
	LargestOrder *orderTotal  `json:"largest_order"`
	Months       []monthTotal `json:"months"`
}

type orderTotal struct {
	ID         int64 `json:"id"`
	TotalCents int64 `json:"total_cents"`
}

type monthTotal struct {
	Month      string `json:"month"`
	Orders     int    `json:"orders"`
	Items      int64  `json:"items"`
	TotalCents int64  `json:"total_cents"`
}

func (s service) summary(c *gin.Context) error {
	id, err := userID(c)
	if err != nil {
		return err
	}
	nPlusOne := s.faults.NPlusOne("/users/{id}/summary")
	purchases, err := s.store.Purchases(c.Request.Context(), id, nPlusOne)
	if err != nil {
		return err
	}
	return answerJSON(c, http.StatusOK, summarize(id, purchases))
}

// summarize joins the rows and adds them up. Neither has to be in any order.
func summarize(id int64, p store.Purchases) summaryReply {
	// Of each order, its sums.
	sums := make(map[int64]monthTotal, len(p.Orders))
	for _, item := range p.Items {
		sum := sums[item.OrderID]
		sum.Items += item.Quantity
		sum.TotalCents += item.Quantity * item.UnitPriceCents
		sums[item.OrderID] = sum
	}

	s := summaryReply{ID: id, Name: p.Name, Orders: len(p.Orders)}
	months := map[string]monthTotal{}
	for _, order := range p.Orders {
		sum := sums[order.ID]
		s.Items += sum.Items
		s.TotalCents += sum.TotalCents
		largest := s.LargestOrder
		if largest == nil || sum.TotalCents > largest.TotalCents ||
			sum.TotalCents == largest.TotalCents && order.ID < largest.ID {
			s.LargestOrder = &orderTotal{order.ID, sum.TotalCents}
		}
		name := order.PlacedAt.UTC().Format(yearAndMonth)
		month := months[name]
		months[name] = monthTotal{name, month.Orders + 1, month.Items + sum.Items, month.TotalCents + sum.TotalCents}
	}
	s.Months = make([]monthTotal, 0, len(months))
	for _, name := range slices.Sorted(maps.Keys(months)) {
		s.Months = append(s.Months, months[name])
	}
	return s
}
