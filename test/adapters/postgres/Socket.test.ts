import { describe, expect, it } from "vitest"
import { addressOf } from "../../../adapters/postgres/engine/Socket.ts"

describe("the address in a connection URI", () => {
  it.each([
    ["postgres://user:password@db.example:6432/name", { host: "db.example", port: 6432 }],
    ["postgresql://db.example/name?sslmode=require", { host: "db.example", port: 5432 }],
    ["postgres:///name", { host: "localhost", port: 5432 }],
    ["postgres://user@[::1]:6432/name", { host: "::1", port: 6432 }],
    ["postgres://%2Fvar%2Frun/name", { path: "/var/run/.s.PGSQL.5432" }],
    ["postgres:///name?host=/var/run&port=6432", { path: "/var/run/.s.PGSQL.6432" }],
    ["postgres://other:1/name?host=db.example&port=6432", { host: "db.example", port: 6432 }]
  ])("%s", (uri, address) => {
    expect(addressOf(uri)).toEqual(address)
  })
})
