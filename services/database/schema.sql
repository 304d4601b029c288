-- The rows behind /users/{id} and /users/{id}/summary: 100,000 users, 1,000,000 orders, about 2,000,000 items.
--
--   psql -v ON_ERROR_STOP=1 -f schema.sql      once, into an empty database in UTF-8 of PostgreSQL 15 or later
--
-- The content is a fixed function of the row numbers: no clock, no randomness, no hash whose result the server's version
-- could change. The contract's vectors hold exact answers for some users, so a change here is a change there.

SET client_encoding = 'UTF8';
SET TIME ZONE 'UTC';

-- The server makes the rows itself: all of this takes 5 to 7 s on one core (fsync=off, wal_level=minimal). COPY of the same
-- rows takes 5 s from files of 73 MB that something must have made, and 18 s from a script that makes them on the way.
--
-- One transaction: with wal_level=minimal, tables that it makes itself are not logged.
BEGIN;

CREATE TABLE users (
  id bigint NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  created_at timestamptz NOT NULL -- whole seconds
);

CREATE TABLE orders (
  id bigint NOT NULL,
  user_id bigint NOT NULL,
  placed_at timestamptz NOT NULL -- whole seconds
);

CREATE TABLE items (
  order_id bigint NOT NULL,
  line integer NOT NULL, -- from 1
  quantity integer NOT NULL,
  unit_price_cents integer NOT NULL
);

-- Pseudo-random numbers from 0 to 2147483646: multiples of the square of n modulo a prime. n goes up to some millions.
CREATE FUNCTION pg_temp.scatter(n bigint, multiplier bigint) RETURNS bigint IMMUTABLE LANGUAGE sql
RETURN n * (n * multiplier % 2147483647) % 2147483647;

-- 31 first names and 29 last names, so that all pairs occur. Some hold characters beyond ASCII, some those that JSON escapes,
-- some those that JSON does not escape though many encoders do.
INSERT INTO users
SELECT
  id,
  (ARRAY[
    'Ada', 'Zoë', 'Łukasz', 'Ngọc', '小明', 'Ольга', 'ليلى', 'Grace', 'José', 'Åsa', 'Ἀλέξανδρος', 'דוד', 'Robert "Bob"',
    E'Back\\slash', E'Tab\tbed', E'Line\nfeed', E'\u0001\u001f', E'\b\f\r', E'\u007f', E'\u2028\u2029', '<b>&amp;</b>', '😀',
    E'e\u0301', 'Ken', 'Barbara', 'Edsger', 'Margaret', 'Linus', 'Anita', 'Tim', 'Radia'
  ])[id % 31 + 1] || ' ' || (ARRAY[
    'Lovelace', 'O''Brien', 'Müller', 'Nuñez', 'Øster', 'Ünal', '山田', 'Иванова', 'van der Berg', 'Smith-Jones', 'Çelik', 'Žižek',
    'Hopper', 'Thompson', 'Liskov', 'Dijkstra', 'Hamilton', 'Torvalds', 'Borg', 'Lee', 'Perlman', 'Knuth', 'Turing', 'Noether',
    'Gauß', 'Erdős', 'Ramanujan', '/slash/', '🦀🐹'
  ])[id % 29 + 1],
  'user' || id || '@example.com',
  timestamptz '2020-01-01 00:00:00Z' + (pg_temp.scatter(id, 48271) % 63072000) * interval '1 second'
FROM generate_series(1::bigint, 100000) AS id;

-- A thousand users have 10,000 orders between them: 50 have none, 100 have 2, and so on up to 2 with 60. The orders of a user
-- lie together.
INSERT INTO orders
SELECT
  id,
  user_id,
  -- From 2022 to 2024. One order in 32 is on the first second of a month and one on the last, where a time zone would show.
  CASE id % 32
    WHEN 0 THEN date_trunc('month', placed_at)
    WHEN 1 THEN date_trunc('month', placed_at) + interval '1 month' - interval '1 second'
    ELSE placed_at
  END
FROM (
  SELECT
    id,
    user_id,
    timestamptz '2022-01-01 00:00:00Z' + (pg_temp.scatter(id, 69621) % 94694400) * interval '1 second' AS placed_at
  FROM (
    SELECT row_number() OVER (ORDER BY user_id, n) AS id, user_id
    FROM
      generate_series(1::bigint, 100000) AS user_id,
      LATERAL generate_series(1, CASE
        WHEN user_id * 617 % 1000 < 50 THEN 0
        WHEN user_id * 617 % 1000 < 150 THEN 2
        WHEN user_id * 617 % 1000 < 300 THEN 4
        WHEN user_id * 617 % 1000 < 500 THEN 6
        WHEN user_id * 617 % 1000 < 700 THEN 11
        WHEN user_id * 617 % 1000 < 850 THEN 14
        WHEN user_id * 617 % 1000 < 950 THEN 20
        WHEN user_id * 617 % 1000 < 990 THEN 30
        WHEN user_id * 617 % 1000 < 994 THEN 45
        WHEN user_id * 617 % 1000 < 998 THEN 50
        ELSE 60
      END) AS n
  ) AS numbered
) AS placed;

INSERT INTO items
SELECT
  order_id,
  line,
  1 + (pg_temp.scatter(order_id * 3 + line, 39373) % 5)::integer,
  99 + 100 * (pg_temp.scatter(order_id * 3 + line, 16807) % 200)::integer
FROM
  generate_series(1::bigint, 1000000) AS order_id,
  LATERAL generate_series(1, 1 + (pg_temp.scatter(order_id, 48271) % 3)::integer) AS line;

-- After the rows: sorting once is cheaper than a million insertions. The key of items is also their index by order.
ALTER TABLE users ADD PRIMARY KEY (id);
ALTER TABLE orders ADD PRIMARY KEY (id);
ALTER TABLE items ADD PRIMARY KEY (order_id, line);
CREATE INDEX orders_user_id ON orders (user_id);

COMMIT;

VACUUM (ANALYZE) users, orders, items;
