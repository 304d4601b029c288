//! `GET /users/{id}/summary`: what a user ordered, joined and added up here from three queries.

use std::collections::{BTreeMap, HashMap};

use axum::Json;
use axum::extract::State;
use chrono::Datelike;
use serde::Serialize;

use crate::database::{Item, Lease, Order, User};
use crate::error::ApiError;
use crate::extract::UserId;
use crate::state::AppState;

#[derive(Debug, Serialize)]
pub struct Summary {
    id: i64,
    name: String,
    orders: usize,
    items: i64,
    total_cents: i64,
    largest_order: Option<LargestOrder>,
    months: Vec<Month>,
}

#[derive(Debug, Serialize)]
struct LargestOrder {
    id: i64,
    total_cents: i64,
}

#[derive(Debug, Default, Serialize)]
struct Month {
    #[serde(rename = "month")]
    name: String,
    orders: usize,
    items: i64,
    total_cents: i64,
}

pub async fn summary(
    State(state): State<AppState>,
    UserId(id): UserId,
) -> Result<Json<Summary>, ApiError> {
    let mut lease = state.database()?.lease().await?;
    let user = lease.user(id).await?;
    let orders = lease.orders(id).await?;
    let one_by_one = state
        .faults
        .as_ref()
        .map_or(0, |faults| faults.plan().n_plus_one());
    let items = load_items(&mut lease, &orders, one_by_one).await?;
    drop(lease);
    Ok(Json(summarize(user, &orders, &items)))
}

async fn load_items(
    lease: &mut Lease,
    orders: &[Order],
    n_plus_one: usize,
) -> Result<Vec<Item>, ApiError> {
    let ids: Vec<i64> = orders.iter().map(|order| order.id).collect();
    let (one_by_one, at_once) = ids.split_at(n_plus_one.min(ids.len()));
    let mut items = lease.items(at_once).await?;
    for id in one_by_one {
        items.extend(lease.items(std::slice::from_ref(id)).await?);
    }
    Ok(items)
}

fn summarize(user: User, orders: &[Order], items: &[Item]) -> Summary {
    let mut by_order: HashMap<i64, (i64, i64)> = HashMap::with_capacity(orders.len());
    for item in items {
        let (quantity, cents) = by_order.entry(item.order_id).or_default();
        *quantity += i64::from(item.quantity);
        *cents += i64::from(item.quantity) * i64::from(item.unit_price_cents);
    }
    let mut summary = Summary {
        id: user.id,
        name: user.name,
        orders: orders.len(),
        items: 0,
        total_cents: 0,
        largest_order: None,
        months: Vec::new(),
    };
    let mut months: BTreeMap<(i32, u32), Month> = BTreeMap::new();
    for order in orders {
        let (quantity, cents) = by_order.get(&order.id).copied().unwrap_or_default();
        summary.items += quantity;
        summary.total_cents += cents;
        let largest = summary.largest_order.get_or_insert(LargestOrder {
            id: order.id,
            total_cents: cents,
        });
        if cents > largest.total_cents || (cents == largest.total_cents && order.id < largest.id) {
            largest.id = order.id;
            largest.total_cents = cents;
        }
        let (year, number) = (order.placed_at.year(), order.placed_at.month());
        let month = months.entry((year, number)).or_insert_with(|| Month {
            name: format!("{year:04}-{number:02}"),
            ..Month::default()
        });
        month.orders += 1;
        month.items += quantity;
        month.total_cents += cents;
    }
    summary.months = months.into_values().collect();
    summary
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user() -> User {
        User {
            id: 7,
            name: "a".to_owned(),
            email: String::new(),
            created_at: "2020-01-01T00:00:00Z".parse().unwrap(),
        }
    }

    fn order(id: i64, placed_at: &str) -> Order {
        let placed_at = placed_at.parse().unwrap();
        Order { id, placed_at }
    }

    fn item(order_id: i64, quantity: i32, unit_price_cents: i32) -> Item {
        Item {
            order_id,
            quantity,
            unit_price_cents,
        }
    }

    fn check(orders: &[Order], items: &[Item], expected: &str) {
        let got = serde_json::to_string(&summarize(user(), orders, items)).unwrap();
        assert_eq!(got, format!(r#"{{"id":7,"name":"a",{expected}}}"#));
    }

    #[test]
    fn nothing_ordered() {
        check(
            &[],
            &[],
            r#""orders":0,"items":0,"total_cents":0,"largest_order":null,"months":[]"#,
        );
    }

    #[test]
    fn of_equal_orders_the_smallest_id_is_the_largest_and_months_ascend() {
        let orders = [
            order(9, "2024-03-01T00:00:00Z"),
            order(4, "2023-12-31T23:59:59Z"),
            order(5, "2024-03-31T23:59:59Z"),
        ];
        let items = [
            item(9, 2, 50),
            item(4, 1, 60),
            item(5, 1, 1),
            item(4, 4, 10),
        ];
        check(
            &orders,
            &items,
            r#""orders":3,"items":8,"total_cents":201,"largest_order":{"id":4,"total_cents":100},"months":[{"month":"2023-12","orders":1,"items":5,"total_cents":100},{"month":"2024-03","orders":2,"items":3,"total_cents":101}]"#,
        );
    }

    #[test]
    fn an_order_may_have_no_items_and_no_sum_overflows_32_bits() {
        let orders = [
            order(2, "2024-01-01T00:00:00Z"),
            order(1, "2024-01-01T00:00:00Z"),
        ];
        let items = [item(2, i32::MAX, 1000)];
        check(
            &orders,
            &items,
            r#""orders":2,"items":2147483647,"total_cents":2147483647000,"largest_order":{"id":2,"total_cents":2147483647000},"months":[{"month":"2024-01","orders":2,"items":2147483647,"total_cents":2147483647000}]"#,
        );
    }
}
