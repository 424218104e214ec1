/**
 * Tests that every endpoint of the management API declares its requirements, and that the compiler rejects one that does not.
 *
 * @module
 */
import { Context, Schema } from "effect"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { describe, expect, it } from "vitest"
import { EndpointGuard } from "../../../adapters/http/schema/Envelope.ts"
import { requiring } from "../../../adapters/http/schema/Requirements.ts"

const group = HttpApiGroup.make("things").add(
  HttpApiEndpoint.get("list", "/things", { success: Schema.Null }),
  HttpApiEndpoint.post("signIn", "/session", { success: Schema.Null })
)

describe("requiring", () => {
  it("guards each endpoint by what it requires", () => {
    const guarded = group.pipe(requiring({ list: "company:read", signIn: "Anyone" }))
    const guardOf = (endpoint: { readonly annotations: Context.Context<never> }) =>
      Context.getUnsafe(endpoint.annotations, EndpointGuard as never)
    expect(guardOf(guarded.endpoints.list)).toEqual({
      _tag: "Management",
      requires: "company:read",
      confirmation: "Never"
    })
    expect(guardOf(guarded.endpoints.signIn)).toEqual({ _tag: "Open" })
  })

  it("does not compile without an endpoint, with another one or with an unknown right", () => {
    // @ts-expect-error signIn is left out, so the result is no class.
    const incomplete = () => class extends group.pipe(requiring({ list: "company:read" })) {}
    const excess = () =>
      // @ts-expect-error There is no endpoint named other.
      class extends group.pipe(requiring({ list: "company:read", signIn: "Anyone", other: "Anyone" })) {}
    // @ts-expect-error There is no right of this name.
    const unknown = () => requiring({ list: "company:see", signIn: "Anyone" })
    expect([incomplete, excess, unknown]).toHaveLength(3)
  })
})
