CREATE TABLE orders (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  item text NOT NULL,
  placed timestamptz NOT NULL DEFAULT now()
);
