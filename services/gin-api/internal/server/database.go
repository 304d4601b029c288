package server

import (
	"context"
	"syscall"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/tailgate/tailgate/services/gin-api/internal/config"
)

// database is a pool that opens its connections in the background.
type database struct {
	pool    *pgxpool.Pool // nil when not configured
	timeout time.Duration
}

func newDatabase(cfg config.Config) (database, error) {
	if cfg.Database == nil {
		return database{}, nil
	}
	cfg.Database.ShouldPing = func(_ context.Context, params pgxpool.ShouldPingParams) bool {
		return hasInput(params.Conn)
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), cfg.Database)
	return database{pool, cfg.DatabaseTimeout}, err
}

// use lets queries use one connection. All of it, waiting for the connection included, is bounded by the time-out.
// queries returns an *apiError for what is no failure of the database.
func (d database) use(c *gin.Context, queries func(context.Context, *pgx.Conn) error) *apiError {
	if d.pool == nil {
		return errDatabaseUnavailable
	}
	ctx, cancel := bounded(c, d.timeout)
	defer cancel()
	conn, err := d.pool.Acquire(ctx)
	if err != nil {
		return errDatabaseUnavailable
	}
	defer conn.Release()

	err = queries(ctx, conn.Conn())
	if err == nil {
		return nil
	}
	apiErr, ours := err.(*apiError)
	switch {
	case ours:
		return apiErr
	case ctx.Err() != nil:
		return errDatabaseTimeout
	case conn.Conn().IsClosed():
		return errDatabaseUnavailable
	default:
		// The server understood us and says that the query, or its result, is wrong.
		return errInternal
	}
}

func (d database) ping(c *gin.Context) *apiError {
	return d.use(c, func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "SELECT 1")
		return err
	})
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
		quiet = err == syscall.EAGAIN
	})
	return err != nil || !quiet
}
