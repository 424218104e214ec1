/**
 * Tests slow operations over the public interfaces. Checking templates and storing content outside the database hold no
 * transaction open that others would wait for. Reads that use an account's whole share cause its next read to be rejected.
 *
 * @module
 */
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import * as Engine from "../../adapters/templates/TemplateEngine.ts"
import * as Threads from "../../adapters/threads/Threads.ts"
import { ObjectStorage } from "../../core/ports/ObjectStorage.ts"
import { SegmentStore } from "../../core/ports/SegmentStore.ts"
import { TemplateEngine } from "../../core/ports/TemplateEngine.ts"
import { readArchive, takeArchive } from "../support/archives.ts"
import { emailStep, flowsOf } from "../support/flows.ts"
import { startEmbedded } from "../support/targets.ts"
import { openWorkspace } from "../support/workspace.ts"

/** A gate at which operations wait while it is closed. */
const makeGate = () => {
  let opened = Promise.resolve()
  let open = () => {}
  let reach = () => {}
  const gate = {
    pass: Effect.promise(() => {
      reach()
      return opened
    }),
    /** Closes the gate. Resolves once an operation waits at it. */
    close: () => {
      opened = new Promise((resolve) => (open = resolve))
      return new Promise<void>((resolve) => (reach = resolve))
    },
    open: () => open()
  }
  return gate
}

type Gate = ReturnType<typeof makeGate>

it.each(["memory", "pglite"] as const)(
  "another account writes while templates are checked and content is stored, over %s",
  async (store) => {
    const checking = makeGate()
    const storing = makeGate()
    const slow = Layer.effect(
      TemplateEngine,
      Effect.map(TemplateEngine, (engine) => ({
        ...engine,
        check: (template: string) => Effect.andThen(checking.pass, engine.check(template)),
        compileMjml: (mjml: string) => Effect.andThen(checking.pass, engine.compileMjml(mjml)),
        isFast: () => false
      }))
    ).pipe(Layer.provide(Engine.layer), Layer.provide(Threads.layer()))
    const outside = Layer.succeed(ObjectStorage, {
      place: "Files" as const,
      put: () => storing.pass,
      get: (names) => Effect.succeed(names.map(() => null)),
      remove: () => Effect.void,
      list: () => Effect.succeed([])
    })
    const target = await startEmbedded({ store, replaced: Layer.merge(slow, outside) })
    try {
      const busy = (await openWorkspace(target, "Busy")).sandbox
      const empty = (await openWorkspace(target, "Empty")).sandbox
      const other = (await openWorkspace(target, "Other")).sandbox
      let serial = 0
      const whileWaiting = async (gate: Gate, work: () => Promise<{ readonly status: number }>) => {
        const reached = gate.close()
        const working = work()
        await reached
        expect((await other.api("POST", "/contacts", { email: `p${++serial}@example.org` })).status).toBe(201)
        gate.open()
        expect((await working).status).toBeLessThan(300)
      }
      const mjml = "<mjml><mj-body><mj-text>Hello</mj-text></mj-body></mjml>"
      await whileWaiting(checking, () =>
        busy.manage("POST", "/templates", { name: "One", subject: "One", format: "Mjml", source: mjml })
      )
      const steps = [emailStep("first"), emailStep("second")]
      const flow = (await flowsOf(busy).create({ trigger: { kind: "Api" }, steps })).value
      await whileWaiting(checking, () => busy.manage("POST", `/flows/${flow.id}/publish`))
      const archive = await readArchive(target, busy.accountId)
      for (const kind of ["template", "flow"]) {
        const lines = archive.filter(
          (line) => /"kind":"header"/.test(line) || line.includes(`"kind":"${kind}"`)
        )
        expect(lines).toHaveLength(2)
        await whileWaiting(checking, async () => {
          await takeArchive(target, empty.accountId, lines)
          return { status: 200 }
        })
        const found = await empty.manage<{ items: ReadonlyArray<object> }>("GET", `/${kind}s`)
        expect(found.value.items).toHaveLength(1)
      }
      const segment = {
        name: "All",
        definition: { join: "All", rules: [{ fieldKey: "email", operator: "IsSet" }] }
      }
      const { id } = (await busy.manage<{ id: string }>("POST", "/segments", segment)).value
      const content = { subject: "News", html: "<p>News</p>" }
      const campaign = { name: "News", content, audience: { segments: [id] } }
      const made = (await busy.manage<{ id: string }>("POST", "/campaigns", campaign)).value
      await whileWaiting(storing, () =>
        busy.manage("POST", `/campaigns/${made.id}/test`, { to: ["ada@example.org"] })
      )
    } finally {
      await target.stop()
    }
  },
  60_000
)

it("a read without a share of the database is refused as such after 10 seconds, and another account's is not", async () => {
  const counting = makeGate()
  const slow = Layer.mock(SegmentStore)({
    list: () => Effect.succeed([]),
    unsized: () => Effect.succeed([]),
    marks: () => Effect.as(counting.pass, ""),
    count: (_accountId, definitions) =>
      Effect.succeed({ marks: "", counts: definitions.map(() => ({ count: 0, sendableCount: 0 })) })
  })
  const target = await startEmbedded({ replaced: slow })
  try {
    const busy = (await openWorkspace(target, "Busy")).sandbox
    const other = (await openWorkspace(target, "Other")).sandbox
    const reached = counting.close()
    const first = busy.api("GET", "/segments")
    await reached
    const headers = { authorization: `Bearer ${busy.key}` }
    const next = target.fetch("/api/v1/segments", { headers })
    const ofOther = other.manage("GET", "/templates")
    expect((await ofOther).status).toBe(200)
    const refused = await next
    const { errors } = (await refused.json()) as { readonly errors: ReadonlyArray<{ readonly code: string }> }
    expect([refused.status, errors.map(({ code }) => code)]).toEqual([503, ["common.too_many_reads"]])
    expect(refused.headers.get("retry-after")).toBe("5")
    counting.open()
    expect((await first).status).toBe(200)
    expect((await busy.api("GET", "/segments")).status).toBe(200)
  } finally {
    counting.open()
    await target.stop()
  }
})
