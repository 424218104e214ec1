/**
 * A campaign to more people than the storage takes says so before it is sent.
 *
 * @module
 */
import { Layer } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { StorageLimits } from "../../core/ports/StorageLimits.ts"
import { startEmbedded, type Target } from "../support/targets.ts"
import { openWorkspace } from "../support/workspace.ts"

let service: Target
beforeAll(async () => {
  service = await startEmbedded({
    store: "memory",
    replaced: Layer.succeed(StorageLimits, { maxAudience: 2 })
  })
})
afterAll(() => service.stop())

it("an audience that is too large is found by the check, and refused by the launch", async () => {
  const { sandbox } = await openWorkspace(service, "Large audiences")
  const add = (name: string) =>
    sandbox.api("POST", "/contacts", { email: `${name}@people.example`, consent: { basis: "Customer" } })
  await add("one")
  await add("two")
  const { value: segment } = await sandbox.manage<{ id: string }>("POST", "/segments", {
    name: "All",
    definition: { join: "All", rules: [{ fieldKey: "email", operator: "Contains", value: "people" }] }
  })
  const { value: campaign } = await sandbox.manage<{ id: string }>("POST", "/campaigns", {
    name: "Spring",
    content: { subject: "Spring", text: "Hello" },
    audience: { segments: [segment.id] }
  })
  const check = async () =>
    (
      await sandbox.manage<{
        findings: ReadonlyArray<{ code: string; field: string | null; severity: string }>
      }>("POST", `/campaigns/${campaign.id}/check`, {})
    ).value.findings.filter(({ severity }) => severity === "Error")
  expect(await check()).toEqual([])
  await add("three")
  expect(await check()).toMatchObject([{ code: "campaigns.audience_too_large", field: "audience" }])
  const refused = await sandbox.manage("POST", `/campaigns/${campaign.id}/launch`, {})
  expect([refused.status, ...refused.codes]).toEqual([400, "campaigns.audience_too_large"])
  expect(refused.text).toContain('"max":2')
  expect((await sandbox.manage("GET", `/campaigns/${campaign.id}`)).value).toMatchObject({ status: "Draft" })
})
