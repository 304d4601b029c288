CREATE TABLE books (id integer PRIMARY KEY, title text NOT NULL);
INSERT INTO books SELECT id, 'Volume ' || id FROM generate_series(1, 1000) AS id;
