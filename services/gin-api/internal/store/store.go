// Package store reads users and their orders from PostgreSQL.
package store

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// What a query can fail with, other than a defect of the query itself.
var (
	ErrNotFound    = errors.New("store: no such user")
	ErrUnavailable = errors.New("store: the database cannot be reached")
	ErrTimeout     = errors.New("store: the database did not answer in time")
)

// Store is a pool that opens its connections in the background.
type Store struct {
	pool    *pgxpool.Pool // nil when not configured
	timeout time.Duration
}

// New succeeds while the database is down. Without a configuration, the store is unavailable.
func New(cfg *pgxpool.Config, timeout time.Duration) (*Store, error) {
	if cfg == nil {
		return &Store{}, nil
	}
	cfg.ShouldPing = func(_ context.Context, params pgxpool.ShouldPingParams) bool {
		return hasInput(params.Conn)
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
	if err != nil {
		return nil, err
	}
	return &Store{pool, timeout}, nil
}

// Ping reports no error where no database is configured.
func (s *Store) Ping(ctx context.Context) error {
	if s.pool == nil {
		return nil
	}
	return s.use(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "SELECT 1")
		return err
	})
}

// User is a row of users, and the answer of /users/{id}.
type User struct {
	ID        int64     `json:"id"`
	Name      string    `json:"name"`
	Email     string    `json:"email"`
	CreatedAt time.Time `json:"created_at"`
}

// User is ErrNotFound if there is none.
func (s *Store) User(ctx context.Context, id int64) (User, error) {
	user := User{ID: id}
	err := s.use(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		const query = "SELECT name, email, created_at FROM users WHERE id = $1"
		return conn.QueryRow(ctx, query, id).Scan(&user.Name, &user.Email, &user.CreatedAt)
	})
	user.CreatedAt = user.CreatedAt.UTC().Truncate(time.Second)
	return user, err
}

// Order is a row of orders.
type Order struct {
	ID       int64
	PlacedAt time.Time
}

// Item is a row of items.
type Item struct {
	OrderID        int64
	Quantity       int64
	UnitPriceCents int64
}

// Purchases are all orders of a user and their items, in no order.
type Purchases struct {
	Name   string
	Orders []Order
	Items  []Item
}

// Purchases takes three queries. The fault n_plus_one asks for the items of the first orders in a query each.
func (s *Store) Purchases(ctx context.Context, userID int64, nPlusOne uint64) (Purchases, error) {
	var p Purchases
	err := s.use(ctx, func(ctx context.Context, conn *pgx.Conn) error {
		err := conn.QueryRow(ctx, "SELECT name FROM users WHERE id = $1", userID).Scan(&p.Name)
		if err != nil {
			return err
		}
		// Collecting the rows reports the query's error, too.
		rows, _ := conn.Query(ctx, "SELECT id, placed_at FROM orders WHERE user_id = $1", userID)
		if p.Orders, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Order]); err != nil {
			return err
		}
		ids := make([]int64, len(p.Orders))
		for i, order := range p.Orders {
			ids[i] = order.ID
		}
		for ; nPlusOne > 0 && len(ids) > 0; nPlusOne-- {
			if p.Items, err = appendItems(ctx, conn, p.Items, ids[:1]); err != nil {
				return err
			}
			ids = ids[1:]
		}
		p.Items, err = appendItems(ctx, conn, p.Items, ids)
		return err
	})
	return p, err
}

func appendItems(ctx context.Context, conn *pgx.Conn, items []Item, orderIDs []int64) ([]Item, error) {
	const query = "SELECT order_id, quantity, unit_price_cents FROM items WHERE order_id = ANY($1)"
	rows, _ := conn.Query(ctx, query, orderIDs)
	return pgx.AppendRows(items, rows, pgx.RowToStructByPos[Item])
}

// use lends one connection to queries. The time-out bounds all of it, waiting for the connection included.
func (s *Store) use(ctx context.Context, queries func(context.Context, *pgx.Conn) error) error {
	if s.pool == nil {
		return ErrUnavailable
	}
	// A client that leaves does not cancel: a query cut off would cost the pool its connection.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.timeout)
	defer cancel()
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer conn.Release()

	err = queries(ctx, conn.Conn())
	switch {
	case err == nil:
		return nil
	case errors.Is(err, pgx.ErrNoRows):
		return ErrNotFound
	case ctx.Err() != nil:
		return fmt.Errorf("%w: %w", ErrTimeout, err)
	case conn.Conn().IsClosed():
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	default:
		return err
	}
}

// hasInput reports whether something waits to be read from an idle connection. That is mostly its end, and then
// the ping drops it: a server that was restarted costs no request an error, and one that was not costs no ping.
func hasInput(conn *pgx.Conn) bool {
	socket, ok := conn.PgConn().Conn().(syscall.Conn)
	if !ok {
		return true
	}
	raw, err := socket.SyscallConn()
	if err != nil {
		return true
	}
	quiet := false
	err = raw.Control(func(fd uintptr) {
		var one [1]byte
		_, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		quiet = errors.Is(err, syscall.EAGAIN)
	})
	return err != nil || !quiet
}
