/**
 * Tests of the account's limit on templates, and of the detection of MJML.
 *
 * @module
 */
import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { managementActor } from "../../../../core/model/Actor.ts"
import * as NodeCrypto from "../../../../adapters/crypto/Crypto.ts"
import { layer as memory } from "../../../../adapters/memory/index.ts"
import * as TemplateEngine from "../../../../adapters/templates/TemplateEngine.ts"
import * as Threads from "../../../../adapters/threads/Threads.ts"
import { AuditTrail } from "../../../../core/accounts/AuditTrail.ts"
import { TemplateItems } from "../../../../core/catalog/TemplateItems.ts"
import { isMjml } from "../../../../core/sending/templates/TemplateRules.ts"
import { maxTemplates, Templates } from "../../../../core/sending/templates/Templates.ts"
import { PublicEndpoint } from "../../../../core/kernel/PublicEndpoint.ts"
import { Ids } from "../../../../core/kernel/Ids.ts"
import { freshAccountId, successes, times } from "../../../contract/fixtures.ts"

const endpoint = Layer.succeed(PublicEndpoint, {
  baseUrl: () => "https://svc.example",
  mailHost: "svc.example",
  takesReports: false
})

const layer = Templates.layer.pipe(
  Layer.provide([AuditTrail.layer, TemplateItems.layer]),
  Layer.provide(Ids.layer),
  Layer.provide(endpoint),
  Layer.provide([NodeCrypto.layer, TemplateEngine.layer.pipe(Layer.provide(Threads.layer()))]),
  Layer.provideMerge(Layer.fresh(memory))
)

it.effect("an account has at most 1,000 templates, also when several are created at the same time", () =>
  Effect.gen(function* () {
    const templates = yield* Templates
    const accountId = yield* freshAccountId
    const create = templates.create(accountId, { name: "One", subject: "s", text: "t" }, managementActor)
    for (let made = 0; made < maxTemplates - 3; made++) yield* create
    const exits = yield* Effect.all(
      times(10, () => Effect.exit(create)),
      { concurrency: "unbounded" }
    )
    expect(successes(exits)).toHaveLength(3)
    const problem = yield* Effect.flip(create)
    expect(problem).toMatchObject({
      issues: [{ code: "sending.template_limit_reached", params: { max: maxTemplates } }]
    })
    const { items, totalCount } = yield* templates.list(accountId, { page: 1, pageSize: 1 })
    expect(totalCount).toBe(maxTemplates)
    yield* templates.remove(accountId, items[0]!.id, managementActor)
    yield* create
  }).pipe(Effect.provide(layer))
)

it.each<[string, boolean]>([
  ["<mjml><mj-body></mj-body></mjml>", true],
  ["\n <!-- a --> <!-- b -->\n<MJML >", true],
  ['<?xml version="1.0"?><mjml>', true],
  ["<mjml/>", true],
  ["<mjmlx>", false],
  ["<p>x</p><mjml>", false],
  ["<!-- <mjml> -->", false],
  ["<!-- <mjml>", false],
  ["", false],
  ["mjml", false],
  ["<!---->".repeat(50_000), false]
])("isMjml detects whether html is MJML: %s", (html, expected) => {
  expect(isMjml(html)).toBe(expected)
})
