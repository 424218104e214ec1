/**
 * Tests the limits of large campaigns: more people than the storage supports are reported before the launch, a launch to many
 * people requires confirmation, and an account can send only some campaigns at the same time.
 *
 * @module
 */
import { Layer } from "effect"
import { afterAll, beforeAll, expect, it } from "vitest"
import { StorageLimits } from "../../core/ports/StorageLimits.ts"
import { confirmedAbove } from "../../adapters/http/management/campaigns.ts"
import { maxSending } from "../../core/model/Campaign.ts"
import { goodPassword, joinCompany } from "../support/browser.ts"
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

it("a signed-in user confirms a launch to more than 10,000 people again, a program does not", async () => {
  const { companyId, sandbox } = await openWorkspace(service, "Many people")
  const { browser } = await joinCompany(service, companyId, "owner@team.example")
  const batch = 1_000
  for (let from = 0; from < confirmedAbove; from += batch) {
    const contacts = Array.from({ length: batch }, (_, index) => ({ email: `p${from + index}@many.example` }))
    expect((await sandbox.api("POST", "/contacts/batch", { contacts })).codes).toEqual([])
  }
  const { value: segment } = await sandbox.manage<{ id: string }>("POST", "/segments", {
    name: "All",
    definition: { join: "All", rules: [{ fieldKey: "email", operator: "EndsWith", value: "@many.example" }] }
  })
  const { value: campaign } = await sandbox.manage<{ id: string }>("POST", "/campaigns", {
    name: "Many",
    content: { subject: "Many", text: "Hello" },
    audience: { segments: [segment.id] }
  })
  // The time after a sign-in during which no confirmation is required has passed.
  await service.advance!("16 minutes")
  const launch = `/campaigns/${campaign.id}/launch`
  const launchAs = async () =>
    (await browser.send("POST", `/accounts/${sandbox.accountId}${launch}`, {})).codes
  // The launched campaign is too large for this storage, so nothing is sent.
  const launched = ["campaigns.audience_too_large"]
  expect(await launchAs()).toEqual(launched)
  await sandbox.api("POST", "/contacts", { email: "last@many.example" })
  expect(await launchAs()).toEqual(["users.confirmation_required"])
  expect((await sandbox.manage("POST", launch, {})).codes).toEqual(launched)
  expect((await browser.send("POST", "/session/confirm", { password: goodPassword })).status).toBe(200)
  expect(await launchAs()).toEqual(launched)
}, 60_000)

it("an account sends no more than 50 campaigns at the same time", async () => {
  const { sandbox } = await openWorkspace(service, "Busy")
  await sandbox.api("POST", "/contacts", { email: "one@busy.example", consent: { basis: "Customer" } })
  const { value: segment } = await sandbox.manage<{ id: string }>("POST", "/segments", {
    name: "One",
    definition: { join: "All", rules: [{ fieldKey: "email", operator: "Contains", value: "busy" }] }
  })
  const launch = async (more: object = {}) => {
    const { value } = await sandbox.manage<{ id: string }>("POST", "/campaigns", {
      name: "Busy",
      content: { subject: "Busy", text: "Hello" },
      audience: { segments: [segment.id] },
      // The window opens in a day or two, so that each campaign is still being sent.
      window: {
        from: "00:00",
        to: "00:01",
        days: [new Date(service.now() + 2 * 86_400_000).getUTCDay() || 7]
      },
      ...more
    })
    const { codes, status } = await sandbox.manage("POST", `/campaigns/${value.id}/launch`, {})
    return { id: value.id, codes, status }
  }
  const { id } = await launch()
  for (let count = 1; count < maxSending; count++) expect((await launch()).codes).toEqual([])
  expect(await launch()).toMatchObject({ status: 400, codes: ["campaigns.limit_reached"] })
  // A campaign that starts later counts only then.
  const later = await launch({ schedule: { at: new Date(service.now() + 60_000).toISOString() } })
  expect(later.codes).toEqual([])
  await service.advance?.("2 minutes")
  const { value: started } = await sandbox.manage<object>("GET", `/campaigns/${later.id}`)
  expect(started).toMatchObject({ status: "Paused", statusReason: "campaigns.check_failed" })
  const act = async (campaign: string, action: string) =>
    (await sandbox.manage("POST", `/campaigns/${campaign}/${action}`, {})).codes
  expect(await act(id, "pause")).toEqual([])
  const { codes, id: last } = await launch()
  expect(codes).toEqual([])
  expect(await act(id, "resume")).toEqual(["campaigns.limit_reached"])
  expect(await act(last, "cancel")).toEqual([])
  expect(await act(id, "resume")).toEqual([])
})
