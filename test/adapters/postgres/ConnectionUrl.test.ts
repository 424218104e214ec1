import { describe, expect, it } from "vitest"
import {
  hostRoleOf,
  hostUrls,
  preparesByName,
  targetOf,
  whyInvalidUrl
} from "../../../adapters/postgres/connection/ConnectionUrl.ts"

describe("the hosts of a connection URL", () => {
  it.each([
    ["postgres://u:p@db.example:6432/name?sslmode=require", ["db.example:6432"]],
    ["postgres://u:p@one,two:6432/name?sslmode=require", ["one:5432", "two:6432"]],
    ["postgres://one:6431,[::1]:6432,/name", ["one:6431", "[::1]:6432", "localhost:5432"]],
    ["postgres://u@ignored/name?host=one,two&port=6432", ["one:6432", "two:6432"]],
    ["postgres://u@/name?host=one,two&port=6431,6432", ["one:6431", "two:6432"]],
    ["postgres:///name?host=/run/one,/run/two", ["/run/one/.s.PGSQL.5432", "/run/two/.s.PGSQL.5432"]],
    ["postgres://u:a%2Cb@one/name?options=-c%20a=1,2", ["one:5432"]]
  ])("%s", (url, addresses) => {
    expect(whyInvalidUrl(url)).toBeNull()
    expect(targetOf(url).address).toBe(addresses.join(", "))
    const [first] = hostUrls(url)!
    expect([new URL(first!).username, new URL(first!).pathname]).toEqual([
      url.includes("u:") || url.includes("u@") ? "u" : "",
      "/name"
    ])
  })

  it("share what is in the URL beside them", () => {
    const urls = hostUrls("postgres://u:p%2F@one,two/name?sslmode=require&target_session_attrs=primary")
    expect(urls).toEqual([
      "postgres://u:p%2F@one/name?sslmode=require&target_session_attrs=primary",
      "postgres://u:p%2F@two/name?sslmode=require&target_session_attrs=primary"
    ])
  })

  it.each([
    ["postgres://one,two/name?port=1,2,3", /port has neither one port nor one for each host/],
    ["postgres://one,two:x/name", /port is no number/],
    [`postgres://${Array.from({ length: 9 }, (_, n) => `h${n}`).join(",")}/name`, /more than 8 hosts/],
    ["postgres://one,two/name?target_session_attrs=standby", /target_session_attrs is none of any, primary/],
    ["postgres://one/name?prepared_statements=no", /prepared_statements is neither true nor false/]
  ])("%s is refused", (url, why) => {
    expect(whyInvalidUrl(url)).toMatch(why)
  })

  it("are chosen by whether they can be written to, unless the URL says otherwise", () => {
    expect(hostRoleOf("postgres://one,two/name")).toBe("read-write")
    expect(hostRoleOf("postgres://one,two/name?target_session_attrs=any")).toBe("any")
    expect(hostRoleOf("postgres://one,two/name?target_session_attrs=primary")).toBe("primary")
  })

  it("have statements prepared by name unless the URL says otherwise", () => {
    expect(preparesByName("postgres://one,two/name")).toBe(true)
    expect(preparesByName("postgres://one,two/name?prepared_statements=true")).toBe(true)
    expect(preparesByName("postgres://one,two/name?prepared_statements=false")).toBe(false)
  })
})
