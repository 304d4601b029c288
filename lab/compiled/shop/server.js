const express = require("express");
const app = express();
app.use(express.json());
const items = Array.from({ length: 40 }, (_, id) => ({
  id,
  name: `item ${id}`,
  price: (id * 137) % 90,
  tags: ["a", "b", String(id)],
}));
app.get("/items", (req, res) => {
  const most = Number(req.query.most ?? 20);
  res.json(items.filter(({ price }) => price > 10).slice(0, most));
});
app.post("/orders", (req, res) => {
  const { lines = [] } = req.body;
  const total = lines.reduce((sum, { id, count }) => sum + (items[id]?.price ?? 0) * count, 0);
  res.status(201).json({ total, lines: lines.length });
});
app.listen(Number(process.env.PORT), "127.0.0.1");
