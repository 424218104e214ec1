/**
 * Tests that a call about an address without a session costs the same whether or not the address belongs to a user: the same
 * statements in the same order, the same hashes, and the same response (docs/contributing/people.md 2).
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import { Layer, Tracer } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { PasswordHasher } from "../../core/ports/PasswordHasher.ts"
import { goodPassword, invite, joinCompany, openBrowser } from "../support/browser.ts"
import { type Domain, publish } from "../support/liveDomain.ts"
import type { Page } from "../support/shapes.ts"
import { startEmbedded, type Target } from "../support/targets.ts"
import { manage, openWorkspace } from "../support/workspace.ts"
import { quickHasher } from "../support/quickHasher.ts"

/** The statements of each trace, in order. */
const traces = new Map<string, Array<Tracer.NativeSpan>>()
const tracer = Tracer.make({
  span: (options) => {
    const span = new Tracer.NativeSpan(options)
    if (options.kind === "client") traces.set(span.traceId, [...(traces.get(span.traceId) ?? []), span])
    return span
  }
})

/** The number of hashes computed. */
let hashes = 0
const counting: PasswordHasher["Service"] = {
  hash: (password) => quickHasher.hash(password),
  verify: (password, hash) => {
    hashes++
    return quickHasher.verify(password, hash)
  }
}

let service: Target
let companyId: string
beforeAll(async () => {
  service = await startEmbedded({
    store: "pglite",
    systemSender: "Example <people@mail.test>",
    replaced: Layer.merge(Layer.succeed(Tracer.Tracer, tracer), Layer.succeed(PasswordHasher, counting))
  })
  companyId = (await openWorkspace(service, "Addresses")).companyId
})
afterAll(() => service.stop())

/** The cost of a call and its response. */
const costOf = async (path: string, json: object) => {
  const traceId = randomBytes(16).toString("hex")
  const before = hashes
  const browser = openBrowser(service, { traceparent: `00-${traceId}-00f067aa0ba902b7-01` })
  const { codes, envelope, status } = await browser.send("POST", path, json)
  const statements = (traces.get(traceId) ?? []).map(({ attributes, name }) => {
    const text = attributes.get("db.query.text")
    return typeof text === "string" ? text.replaceAll(/\s+/g, " ") : name
  })
  const value = status < 300 ? envelope?.value : null
  return { status, codes, value, hashes: hashes - before, statements }
}

it("tells nothing of whether an address belongs to a user", { timeout: 120_000 }, async () => {
  const join = async (email: string) => {
    const { userId } = await joinCompany(service, companyId, email, "Viewer")
    return userId
  }
  await join("active@people.example")
  const disabled = await join("disabled@people.example")
  await manage(service, "PATCH", `/users/${disabled}`, { json: { status: "Disabled" } })
  await invite(service, companyId, "invited@people.example", "Viewer")

  const calls = [
    ["/session/start", (email: string) => ({ email })],
    ["/session/password", (email: string) => ({ email, password: `${goodPassword}-wrong` })],
    ["/password-resets", (email: string) => ({ email })]
  ] as const
  const compare = async (round: number) => {
    for (const [path, bodyOf] of calls) {
      const unknown = await costOf(path, bodyOf(`unknown-${round}@people.example`))
      if (path !== "/session/start") expect([path, unknown.statements.length > 0]).toEqual([path, true])
      expect([path, unknown.hashes]).toEqual([path, path === "/session/password" ? 1 : 0])
      for (const name of ["active", "disabled", "invited"]) {
        const known = await costOf(path, bodyOf(`${name}@people.example`))
        expect([path, name, known]).toEqual([path, name, unknown])
      }
    }
  }
  await compare(1)
  // The same holds while resets are mailed.
  const { value } = await manage<Page<{ live: { accountId: string }; sandbox: { accountId: string } }>>(
    service,
    "GET",
    "/companies?pageSize=200"
  )
  const first = value.items.find(({ sandbox }) => sandbox.accountId === service.sandbox.accountId)!
  const domains = `/accounts/${first.live.accountId}/domains`
  const added = await manage<Domain>(service, "POST", domains, { json: { domain: "mail.test" } })
  publish(service.dns, added.value)
  await manage(service, "POST", `${domains}/${added.value.id}/verify`)
  await compare(2)
})
