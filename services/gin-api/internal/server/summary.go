package server

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5"
)

const (
	summaryPath = "/users/{id}/summary"

	yearAndMonth = "2006-01"
)

type summary struct {
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

// order is a row of orders, and the sums over its items.
type order struct {
	id         int64
	placedAt   time.Time
	items      int64
	totalCents int64
}

type item struct {
	orderID        int64
	quantity       int64
	unitPriceCents int64
}

// nPlusOne is a fault: the items of so many orders are asked for in a query each.
func addSummaryRoutes(routes gin.IRoutes, database database, nPlusOne uint64) {
	get(routes, summaryPath, func(c *gin.Context) { summarize(c, database, nPlusOne) })
}

func summarize(c *gin.Context, database database, nPlusOne uint64) {
	if _, apiErr := parseQuery(c.Request.URL.RawQuery); apiErr != nil {
		apiErr.answer(c)
		return
	}
	id, apiErr := parseID(c.Param("id"))
	if apiErr != nil {
		apiErr.answer(c)
		return
	}
	var name string
	var orders []order
	var items []item
	apiErr = database.use(c, func(ctx context.Context, conn *pgx.Conn) error {
		const query = "SELECT name FROM users WHERE id = $1"
		err := conn.QueryRow(ctx, query, id).Scan(&name)
		if err != nil {
			return orUserNotFound(err)
		}
		if orders, err = readOrders(ctx, conn, id); err != nil {
			return err
		}
		items, err = readItems(ctx, conn, orders, nPlusOne)
		return err
	})
	if apiErr != nil {
		apiErr.answer(c)
		return
	}
	answerJSON(c, http.StatusOK, summaryOf(id, name, orders, items))
}

func readOrders(ctx context.Context, conn *pgx.Conn, userID int64) ([]order, error) {
	rows, err := conn.Query(ctx, "SELECT id, placed_at FROM orders WHERE user_id = $1", userID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (o order, err error) {
		err = row.Scan(&o.id, &o.placedAt)
		return o, err
	})
}

// readItems asks for the items of all the orders at once, but for those of the first few that the fault picks.
func readItems(ctx context.Context, conn *pgx.Conn, orders []order, nPlusOne uint64) ([]item, error) {
	ids := make([]int64, len(orders))
	for i, o := range orders {
		ids[i] = o.id
	}
	var items []item
	alone := int(min(nPlusOne, uint64(len(ids))))
	for _, id := range ids[:alone] {
		var err error
		if items, err = appendItems(ctx, conn, items, []int64{id}); err != nil {
			return nil, err
		}
	}
	return appendItems(ctx, conn, items, ids[alone:])
}

func appendItems(ctx context.Context, conn *pgx.Conn, items []item, orderIDs []int64) ([]item, error) {
	const query = "SELECT order_id, quantity, unit_price_cents FROM items WHERE order_id = ANY($1)"
	rows, err := conn.Query(ctx, query, orderIDs)
	if err != nil {
		return nil, err
	}
	return pgx.AppendRows(items, rows, func(row pgx.CollectableRow) (i item, err error) {
		err = row.Scan(&i.orderID, &i.quantity, &i.unitPriceCents)
		return i, err
	})
}

// summaryOf joins the rows and adds them up. Neither has to be in any order.
func summaryOf(id int64, name string, orders []order, items []item) summary {
	byID := make(map[int64]*order, len(orders))
	for i := range orders {
		byID[orders[i].id] = &orders[i]
	}
	for _, i := range items {
		o := byID[i.orderID]
		o.items += i.quantity
		o.totalCents += i.quantity * i.unitPriceCents
	}

	s := summary{ID: id, Name: name, Orders: len(orders), Months: []monthTotal{}}
	monthAt := map[string]int{}
	for _, o := range orders {
		s.Items += o.items
		s.TotalCents += o.totalCents
		largest := s.LargestOrder
		if largest == nil || o.totalCents > largest.TotalCents ||
			o.totalCents == largest.TotalCents && o.id < largest.ID {
			s.LargestOrder = &orderTotal{o.id, o.totalCents}
		}
		name := o.placedAt.UTC().Format(yearAndMonth)
		at, found := monthAt[name]
		if !found {
			at = len(s.Months)
			monthAt[name] = at
			s.Months = append(s.Months, monthTotal{Month: name})
		}
		month := &s.Months[at]
		month.Orders++
		month.Items += o.items
		month.TotalCents += o.totalCents
	}
	slices.SortFunc(s.Months, func(a, b monthTotal) int { return strings.Compare(a.Month, b.Month) })
	return s
}
