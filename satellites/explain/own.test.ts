import { expect, test } from "vitest";
import type { Own } from "./model.ts";
import { functionOf, isOwn, shortName } from "./own.ts";

const GO: Own = { kind: "go", modules: ["example.com/shop"] };
const RUST: Own = { kind: "rust", crates: ["axum-api"] };
const SCRIPT: Own = { kind: "path", roots: ["/srv/shop"] };

test("own functions are known by module, crate or path", () => {
  const check = (own: Own, name: string, expected: boolean, file: string | null = null) =>
    expect(isOwn({ name, file }, own), name).toBe(expected);

  check(GO, "main.main", true);
  check(GO, "example.com/shop.New", true);
  check(GO, "example.com/shop/internal/server.(*Server).echo", true);
  check(GO, "example.com/shopping.New", false);
  check(GO, "net/http.(*conn).serve", false);
  check(GO, "runtime.main", false);

  check(RUST, "axum_api::routes::echo::fingerprint", true);
  check(RUST, "<axum_api::state::App as core::clone::Clone>::clone", true);
  check(RUST, "<&axum_api::state::App as core::fmt::Debug>::fmt", true);
  check(RUST, "<&mut axum_api::state::App as core::fmt::Debug>::fmt", true);
  check(RUST, "<alloc::vec::Vec<T> as axum_api::Pack>::pack", true);
  check(RUST, "<axum_api::Pool<T>>::get", true);
  check(RUST, "axum_api_client::get", false);
  check(RUST, "core::ptr::drop_in_place<axum_api::state::App>", false);
  check(RUST, "<F as axum::handler::Handler<(M,T1),S>>::call", false);
  check(RUST, "<alloc::vec::Vec<axum_api::Row> as core::ops::Drop>::drop", false);

  check(SCRIPT, "handler", true, "/srv/shop/src/server.js");
  check(SCRIPT, "handler", false, "/srv/shop/node_modules/express/lib/router.js");
  check(SCRIPT, "JS:*handler /srv/shop/server.js:12:3", true);
  check(SCRIPT, "JS:*handler /srv/shopping/server.js:12:3", false);
});

test("closures and copies belong to the function that they stand in", () => {
  const check = (symbol: string, name: string) => expect(functionOf(symbol)).toBe(name);
  check("main.run", "main.run");
  check("a/server.(*metrics).observe.func1", "a/server.(*metrics).observe");
  check("a/server.New.func2.1", "a/server.New");
  check("a/server.service.health-fm", "a/server.service.health");
  check("net/http.(*Server).Serve.gowrap3", "net/http.(*Server).Serve");
  check("runtime.goexit.abi0", "runtime.goexit");
  check(
    'a/server.decodeJSON[go.shape.struct { ID *uint64 "json:\\"id\\"" }]',
    "a/server.decodeJSON",
  );
  check("a/server.decodeJSON[go.shape.struct { ID *uin…", "a/server.decodeJSON");
  check("a.(*Cache[go.shape.int]).Get.func1", "a.(*Cache).Get");
  check("axum_api::serve::serve::{closure}::{closure}", "axum_api::serve::serve");
  check("axum_api::pack::<alloc::vec::Vec<u8>>", "axum_api::pack");
  check("a::pack::<b::c::<u8>>", "a::pack");
  check("axum_api::pack::<fn() -> u8>::{closure}", "axum_api::pack");
  check("<axum_api::App as a::B<C>>::call::{closure}", "<axum_api::App as a::B<C>>::call");
  check("core::ptr::drop_in_place<axum_api::App>", "core::ptr::drop_in_place<axum_api::App>");
  check("[libc.so.6]", "[libc.so.6]");
  check("[kernel] write", "[kernel] write");
});

test("a short name says what tells functions of one repository apart", () => {
  const check = (name: string, short: string) => expect(shortName(name)).toBe(short);
  check("github.com/a/shop/internal/server.(*Server).echo", "server.(*Server).echo");
  check("main.run", "main.run");
  check("axum_api::routes::echo::fingerprint", "echo::fingerprint");
  check("<axum_api::state::App as core::clone::Clone>::clone", "App::clone");
  check("<alloc::vec::Vec<T> as axum_api::Pack>::pack", "Vec::pack");
  check(
    "axum_api::routes::echo::_::<impl serde::Serialize for axum_api::routes::echo::EchoReply<S>>::serialize",
    "EchoReply::serialize",
  );
  check("hyper::proto::h1::dispatch::Dispatcher<D,Bs,I,T>::poll_write", "Dispatcher::poll_write");
  check("axum_api::pack<fn(u8) -> u8>::all", "pack::all");
  check("axum_api::pack<fn(u8) -> core::…", "axum_api::pack");
  check("_int_malloc", "_int_malloc");
});
