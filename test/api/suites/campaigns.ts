/**
 * Tests campaigns: one message to each person in some segments, pausing, cancelling, and what withdraws a person
 * (docs/campaigns.md).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { type Browser, invite, joinCompany } from "../../support/browser.ts"
import { eventually } from "../../support/client.ts"
import { emailStep, flowsOf, uniqueName } from "../../support/flows.ts"
import { mailOf } from "../../support/mail.ts"
import type { Contact, ListPage, Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { manage, openWorkspace, type TestAccount, type Workspace } from "../../support/workspace.ts"

interface Stats {
  readonly audience: number
  readonly pending: number
  readonly submitted: number
  readonly skipped: number
  readonly heldOut: number
  readonly cancelled: number
  readonly skippedBy: Readonly<Record<string, number>>
  readonly emails: Readonly<Record<string, number>>
  readonly clicked: Readonly<Record<"human" | "machine" | "unknown", number>>
}

interface Campaign {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly statusReason: string | null
  readonly phase: string | null
  readonly progress: { readonly nextAt: string | null; readonly waiting: ReadonlyArray<object> } | null
  readonly version: number
  readonly stats: Stats
  readonly createdBy: object
  readonly updatedBy: object | null
}

interface Approvable extends Campaign {
  readonly approval: { readonly state: string; readonly by: object | null; readonly comment: string | null }
}

interface Recipient {
  readonly contactId: string
  readonly email: string | null
  readonly state: string
  readonly reason: string | null
  readonly status: string | null
  readonly messageId: string | null
}

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"
let count = 0

export const campaignsSuite = (target: () => Target) =>
  describe("campaigns", () => {
    let workspace: Workspace
    let account: TestAccount
    beforeAll(async () => {
      workspace = await openWorkspace(target(), "Campaigns")
      account = workspace.sandbox
      await account.manage("POST", "/topics", { key: "news", name: "News" })
    })
    const create = (write: object) => account.manage<Campaign>("POST", "/campaigns", write)
    const act = (id: string, action: string, json: object = {}) =>
      account.manage<Campaign>("POST", `/campaigns/${id}/${action}`, json)
    const read = async (id: string) => (await account.manage<Campaign>("GET", `/campaigns/${id}`)).value
    /** The campaign once it satisfies a condition. Meanwhile the service's clock advances. */
    const until = (id: string, satisfied: (campaign: Campaign) => boolean) =>
      eventually(async () => {
        const campaign = await read(id)
        if (!satisfied(campaign)) await target().advance?.("1100 millis")
        return campaign
      }, satisfied)
    const sent = (id: string) => until(id, ({ status }) => status === "Sent")
    const recipients = async (id: string, query = "") =>
      (await account.manage<Page<Recipient>>("GET", `/campaigns/${id}/recipients?limit=200${query}`)).value
        .items
    const mailTo = async (email: string) => (await mailOf(account).inbox()).filter(({ to }) => to === email)
    const recount = async (id: string) =>
      (await account.manage<{ readonly equal: boolean }>("POST", `/campaigns/${id}/recount`)).value.equal

    /** Creates people with their own tag, and the segment of that tag. */
    const audience = async (size: number, values: (index: number) => object = () => ({})) => {
      const tag = `campaign${++count}x${Math.random().toString(36).slice(2, 8)}`
      const people = Array.from({ length: size }, (_, index) => ({
        email: `p${index}@${tag}.example`,
        firstName: `P${index}`,
        city: tag,
        consent: { basis: "Customer" },
        ...values(index)
      }))
      await account.api("POST", "/contacts/batch", { contacts: people })
      const definition = { join: "All", rules: [{ fieldKey: "city", operator: "Equals", value: tag }] }
      const made = await account.manage<{ readonly id: string }>("POST", "/segments", {
        name: tag,
        definition
      })
      const found = await account.manage<Page<Contact>>("GET", `/contacts?segment=${made.value.id}&limit=200`)
      const contacts = found.value.items.toSorted((a, b) => (a.email < b.email ? -1 : 1))
      return { segment: made.value.id, contacts, tag }
    }
    const content = { subject: "Hello {{ contact.firstName }}", html: "<p>{{ campaign.name }}</p>" }
    const draftFor = async (segment: string, write: object = {}) => {
      const made = await create({ name: "Spring", content, audience: { segments: [segment] }, ...write })
      expect(made.status).toBe(201)
      return made.value.id
    }
    const launch = async (id: string) => {
      const launched = await act(id, "launch")
      expect(launched.codes).toEqual([])
      return launched.value
    }

    it("reach everyone of the segments once, each with their own content, and end", async () => {
      const { contacts, segment } = await audience(5)
      const others = await audience(1)
      const id = await draftFor(segment)
      expect(await read(id)).toMatchObject({
        status: "Draft",
        version: 0,
        progress: { phase: null, done: 0, of: 0, perMinute: 0, waiting: [] },
        stats: { audience: 0, holdout: { people: 0, conversions: 0, revenue: [], lift: null } }
      })
      const check = await act(id, "check")
      expect(check.value).toMatchObject({
        canLaunch: true,
        recipients: 5,
        estimate: { recipients: 5, seconds: 1, days: 1 },
        findings: [
          {
            code: "campaigns.preheader_missing",
            severity: "Warning",
            field: "content.preheader",
            count: null
          },
          { code: "campaigns.text_missing", severity: "Warning", field: "content.text" },
          { code: "campaigns.postal_address_missing", severity: "Warning", field: null }
        ]
      })
      const preview = await act(id, "preview", { contactId: contacts[2]!.id })
      expect(preview.value).toMatchObject({ subject: "Hello P2", preheader: null, links: [], problems: [] })
      await launch(id)
      expect((await act(id, "launch")).status).toBe(200)
      const done = await sent(id)
      expect(done).toMatchObject({
        version: 1,
        phase: null,
        stats: { audience: 5, submitted: 5, pending: 0, skipped: 0, emails: { delivered: 5, queued: 0 } }
      })
      expect(await recount(id)).toBe(true)
      for (const [index, { email }] of contacts.entries()) {
        const messages = await mailTo(email)
        expect(messages).toMatchObject([{ subject: `Hello P${index}`, submissionId: expect.any(String) }])
        expect(messages[0]!["html"]).toContain("<p>Spring</p>")
        expect(messages[0]!["html"]).toContain("Unsubscribe")
      }
      expect(await mailTo(others.contacts[0]!.email)).toEqual([])
      const [first] = await recipients(id)
      expect(first).toMatchObject({ state: "Submitted", status: "Delivered", reason: null })
      const email = await account.manage<{ readonly html: string }>(
        "GET",
        `/emails/${first!.messageId}/content`
      )
      expect(email.status).toBe(200)
      expect(email.value.html).toContain("<p>Spring</p>")
      expect((await account.manage("POST", `/emails/${first!.messageId}/resend`)).codes).toEqual([
        "campaigns.email_not_resendable"
      ])
      const one = await account.manage<Readonly<Record<string, unknown>>>(
        "GET",
        `/campaigns/${id}/recipients/${first!.contactId}`
      )
      expect(one.value).toEqual({ ...first, explanation: one.value["explanation"] })
    })

    it("skip who must not get them, with the reason, and leave out who is excluded", async () => {
      const topicOff = { topics: { news: false } }
      const none = { consent: { basis: "Unsubscribed" } }
      const { contacts, segment, tag } = await audience(6, (index) =>
        index === 1 ? none : index === 2 ? topicOff : index === 4 ? { phone: "excluded" } : {}
      )
      await account.manage("POST", "/suppressions", { email: contacts[3]!.email, kind: "Complained" })
      const rules = [
        { fieldKey: "city", operator: "Equals", value: tag },
        { fieldKey: "phone", operator: "Equals", value: "excluded" }
      ]
      const excluded = await account.manage<{ readonly id: string }>("POST", "/segments", {
        name: "excluded",
        definition: {
          join: "All",
          rules: rules.slice(0, 1).concat({ fieldKey: "email", operator: "StartsWith", value: "p4@" })
        }
      })
      const id = await draftFor(segment, {
        topic: "news",
        audience: { segments: [segment], exclude: [excluded.value.id] }
      })
      await launch(id)
      expect((await sent(id)).stats).toMatchObject({
        audience: 5,
        submitted: 2,
        skipped: 3,
        skippedBy: { "sending.gate_complained": 1, "sending.gate_consent": 1, "sending.gate_topic": 1 }
      })
      const why = async (contactId: string) => {
        const query = `contact=${contactId}&campaign=${id}`
        const found = await account.manage<{ verdict: string; because: ReadonlyArray<{ code: string }> }>(
          "GET",
          `/explain?${query}`
        )
        return [found.value.verdict, found.value.because[0]!.code]
      }
      expect(await why(contacts[0]!.id)).toEqual(["Received", "explain.delivered"])
      expect(await why(contacts[2]!.id)).toEqual(["NotSent", "sending.gate_topic"])
      expect(await why(contacts[4]!.id)).toEqual(["NotSent", "explain.not_selected"])
      const skipped = await recipients(id, "&state=Skipped")
      const reasons = new Map(skipped.map(({ contactId, reason }) => [contactId, reason]))
      expect(contacts.slice(1, 4).map((contact) => reasons.get(contact.id))).toEqual([
        "sending.gate_consent",
        "sending.gate_topic",
        "sending.gate_complained"
      ])
      expect(await recipients(id, "&reason=sending.gate_topic")).toHaveLength(1)
      expect(await mailTo(contacts[4]!.email)).toEqual([])
      // The same rule also applies to the marketing email of a flow.
      const flows = flowsOf(account)
      const step = emailStep("news", { purpose: "Marketing", topic: "news" })
      const name = uniqueName()
      const { id: flowId } = await flows.start(name, [step])
      const people = contacts.filter((_, index) => index !== 4)
      for (const contact of people) await flows.report(name, { id: contact.id })
      const runs = await flows.runsWhere(
        flowId,
        (found) => found.length === people.length && found.every(({ status }) => status === "Completed")
      )
      const logOf = ({ id: contactId }: { readonly id: string }) =>
        flows.outcomes(runs.find((run) => run.contactId === contactId)!)
      expect(people.map(logOf)).toEqual([
        ["news sent"],
        ["news skipped: automation.no_consent"],
        ["news skipped: automation.topic_off"],
        ["news skipped: sending.gate_complained"],
        ["news sent"]
      ])
      expect(await recount(id)).toBe(true)
    })

    it("are sent again to who was not reached, and export whom they were for", async () => {
      const { contacts, segment } = await audience(2, (index) => ({
        firstName: index === 0 ? "" : "=P1"
      }))
      const failing = {
        subject: "Again",
        html: "{% if contact.firstName %}Hi{% else %}{% for a in (1..100000) %}{% for b in (1..100000) %}x{% endfor %}{% endfor %}{% endif %}"
      }
      const id = await draftFor(segment, { content: failing })
      expect((await act(id, "retry", { what: ["RenderFailed"] })).codes).toEqual([
        "campaigns.status_conflict"
      ])
      await launch(id)
      await sent(id)
      const [unrendered] = await recipients(id, "&reason=campaigns.render_failed")
      expect(unrendered).toMatchObject({ renderError: { code: "sending.template_render_failed" } })
      expect((await act(id, "retry", { what: [] })).codes).toEqual(["validation.required"])
      expect((await act(id, "retry", { what: ["Bounced"] })).fields).toEqual(["what[0]"])
      const again = async (what: string) =>
        (await act(id, "retry", { what: [what] })).value as unknown as { readonly recipients: number }
      expect(await again("NotDelivered")).toEqual({ recipients: 0 })
      expect(await read(id)).toMatchObject({ status: "Sent" })
      await account.api("POST", "/contacts", { id: contacts[0]!.id, firstName: "P0" })
      expect(await again("RenderFailed")).toEqual({ recipients: 1 })
      expect(
        (await until(id, ({ stats, status }) => status === "Sent" && stats.pending === 0)).stats
      ).toEqual(expect.objectContaining({ audience: 2, submitted: 2, skipped: 0, skippedBy: {} }))
      for (const { email } of contacts) expect(await mailTo(email)).toHaveLength(1)
      expect(await recount(id)).toBe(true)
      const file = async (json: object) => {
        const started = await account.manage<{ readonly id: string }>(
          "POST",
          `/campaigns/${id}/recipients/export`,
          json
        )
        expect(started.status).toBe(202)
        const path = `/jobs/${started.value.id}`
        await eventually(
          async () => (await account.manage<{ readonly state: string }>("GET", path)).value,
          ({ state }) => state === "Done"
        )
        return (await account.manage("GET", `${path}/report`)).text
      }
      const [head, ...lines] = (await file({ format: "Csv", state: ["Submitted"] })).trim().split("\r\n")
      expect(head).toMatch(/^contactId,email,firstName,lastName,state,reason,status,/)
      expect(lines).toHaveLength(2)
      const line = lines.find((one) => one.startsWith(contacts[1]!.id))
      expect(line).toContain(`${contacts[1]!.email},'=P1,,Submitted,,Delivered,`)
      const rows = (await file({ format: "Ndjson" })).trim().split("\n")
      expect(rows.map((row) => (JSON.parse(row) as Recipient).email).toSorted()).toEqual(
        contacts.map(({ email }) => email)
      )
      const bad = await account.manage("POST", `/campaigns/${id}/recipients/export`, { format: "Xml" })
      expect(bad.codes).toEqual(["validation.format"])
      const none = await account.manage("POST", `/campaigns/${unknownId}/recipients/export`, {
        format: "Csv"
      })
      expect(none.status).toBe(404)
    })

    it("skip people for whom the content does not render, and hold out a share of the others", async () => {
      const { segment } = await audience(3, (index) => ({ firstName: index === 0 ? "" : `P${index}` }))
      const endless = "{% assign all = (1..99999999) | size %}"
      const failing = {
        subject: "Hi",
        html: `{% if contact.firstName %}{{ contact.email }}{% else %}${endless}{% endif %}`
      }
      const id = await draftFor(segment, { content: failing })
      await launch(id)
      expect((await sent(id)).stats).toMatchObject({
        submitted: 2,
        skippedBy: { "campaigns.render_failed": 1 }
      })
      // A campaign whose content renders for no one is not launched.
      const none = { subject: "Hi", html: endless }
      const refused = await act(await draftFor(segment, { content: none }), "launch")
      expect([refused.status, refused.codes, refused.fields]).toEqual([
        400,
        ["campaigns.content_invalid"],
        ["content"]
      ])
      // A campaign whose content fails for many people is paused before it ends.
      const many = await audience(24, (index) => ({ firstName: index < 21 ? "" : `P${index}` }))
      const paused = await draftFor(many.segment, { content: failing })
      await launch(paused)
      expect(await until(paused, ({ status }) => status === "Paused")).toMatchObject({
        statusReason: "campaigns.render_failures",
        stats: { submitted: 3, pending: 0, skippedBy: { "campaigns.render_failed": 21 } }
      })
      await act(paused, "resume")
      await sent(paused)
      const large = await audience(40)
      const other = await draftFor(large.segment, { holdoutPercent: 50 })
      await launch(other)
      const { stats } = await sent(other)
      expect(stats.heldOut).toBeGreaterThan(0)
      expect(stats.heldOut + stats.submitted).toBe(40)
      expect(await recipients(other, "&state=HeldOut")).toHaveLength(stats.heldOut)
    })

    it("are previewed before they are saved, and checked for what readers miss", async () => {
      const { contacts, segment } = await audience(3)
      const link = "https://shop.example/a?b=1"
      const unsaved = {
        subject: "Hello {{ contact.firstName }}",
        preheader: "For {{ contact.firstName }}",
        html: `<p>é</p><a href="${link}">Look</a><a href="{{ unsubscribeUrl }}">Leave</a>`
      }
      const preview = async (json: object) =>
        account.manage<{ html: string; bytes: number }>("POST", "/campaigns/preview", json)
      const shown = await preview({ content: unsaved, contactId: contacts[1]!.id })
      expect(shown.value).toMatchObject({
        subject: "Hello P1",
        preheader: "For P1",
        links: [{ number: 1, url: link }],
        problems: []
      })
      expect(shown.value.html).toContain(link)
      expect(shown.value.bytes).toBe(new TextEncoder().encode(shown.value.html).length)
      expect((await preview({ content: { ...unsaved, html: "{% if %}" } })).value).toMatchObject({
        subject: null,
        bytes: 0,
        links: [],
        problems: [{ code: "sending.template_invalid", field: "content.html", line: 1 }]
      })
      expect((await preview({})).codes).toEqual(["campaigns.content_required"])
      const html = `<div style="display: none"><a href="{{ unsubscribeUrl }}">Leave</a></div><img src="a.png">`
      const id = await draftFor(segment, { content: { ...unsaved, text: "Hi", html } })
      const findings = async (of: string) =>
        (
          await account.manage<{ findings: ReadonlyArray<{ code: string; count: number | null }> }>(
            "POST",
            `/campaigns/${of}/check`
          )
        ).value.findings.map((finding) => `${finding.code} ${finding.count}`)
      expect(await findings(id)).toEqual([
        "campaigns.unsubscribe_hidden null",
        "campaigns.image_text_missing 1",
        "campaigns.postal_address_missing null"
      ])
      const refused = await act(id, "launch")
      expect([refused.status, refused.codes]).toEqual([400, ["campaigns.unsubscribe_hidden"]])
      const styled = `<style>.small { display: none }</style><p class="small"><a href="{{ unsubscribeUrl }}">Leave</a></p>`
      const byClass = await draftFor(segment, { content: { ...unsaved, html: styled } })
      expect((await act(byClass, "launch")).codes).toEqual(["campaigns.unsubscribe_hidden"])
      const first = await draftFor(segment)
      const slow = await draftFor(segment, { pace: { emails: 1, per: "Day" } })
      await launch(first)
      expect(await findings(slow)).toContain("campaigns.overlap 3")
      expect(await findings(slow)).toContain("campaigns.takes_days null")
    })

    it("send nothing while they are paused, go on with exactly the rest, and take an edit for it", async () => {
      const future = new Date(target().now() + 86_400_000).toISOString()
      const { contacts, segment } = await audience(3)
      const id = await draftFor(segment, { schedule: { at: future } })
      expect(await launch(id)).toMatchObject({ status: "Scheduled" })
      expect((await account.manage("DELETE", `/segments/${segment}`)).codes).toEqual(["segments.in_use"])
      expect((await account.manage("PATCH", `/campaigns/${id}`, { content })).codes).toEqual([
        "campaigns.not_editable"
      ])
      expect((await act(id, "pause")).codes).toEqual(["campaigns.status_conflict"])
      expect((await act(id, "unschedule")).value).toMatchObject({ status: "Draft" })
      await account.manage("PATCH", `/campaigns/${id}`, { schedule: null })
      const started = await launch(id)
      const paused = (await act(id, "pause")).value
      expect([started.status, paused.status]).toEqual(["Sending", "Paused"])
      expect(paused.statusReason).toBe("campaigns.paused_by_operator")
      const before = (await Promise.all(contacts.map(({ email }) => mailTo(email)))).flat().length
      await target().advance?.("10 minutes")
      const after = (await Promise.all(contacts.map(({ email }) => mailTo(email)))).flat().length
      expect(after).toBe(before)
      const edited = await account.manage<Campaign>("PATCH", `/campaigns/${id}`, {
        content: { subject: "Second", text: "second" }
      })
      expect(edited.value).toMatchObject({ status: "Paused", version: 3 })
      expect(
        (await account.manage("PATCH", `/campaigns/${id}`, { audience: { segments: [] } })).codes
      ).toEqual(["campaigns.not_editable"])
      await act(id, "resume")
      await sent(id)
      for (const { email } of contacts) expect(await mailTo(email)).toHaveLength(1)
      expect(await recount(id)).toBe(true)
    })

    it("send nothing any more once they are cancelled", async () => {
      const { contacts, segment } = await audience(4, () => ({ countryCode: "JP" }))
      const at = new Date(target().now() + 20 * 86_400_000).toISOString().slice(0, 16)
      const id = await draftFor(segment, { schedule: { localTime: at } })
      await launch(id)
      expect((await act(id, "cancel")).value).toMatchObject({ status: "Cancelled" })
      expect((await act(id, "cancel")).status).toBe(200)
      expect((await act(id, "resume")).codes).toEqual(["campaigns.status_conflict"])
      expect((await account.manage("DELETE", `/campaigns/${id}`)).status).toBe(200)
      expect((await account.manage("GET", `/campaigns/${id}`)).status).toBe(404)
      for (const { email } of contacts) expect(await mailTo(email)).toEqual([])
    })

    it("send at the local time of each person, and cancel those whose time has not come", async () => {
      const { advance } = target()
      if (advance === null) return
      const zones = ["JP", "AT", "PE", "PE", "JP"]
      const { contacts, segment } = await audience(5, (index) => ({ countryCode: zones[index] }))
      const punctual = await audience(2, (index) => ({ countryCode: ["JP", "PE"][index] }))
      const tomorrow = new Date(target().now() + 2 * 86_400_000).toISOString().slice(0, 10)
      const localTime = `${tomorrow}T09:00`
      const id = await draftFor(segment, { schedule: { localTime } })
      await launch(id)
      const skipping = await draftFor(punctual.segment, { schedule: { localTime, late: "Skip" } })
      await launch(skipping)
      // At midnight UTC it is 09:00 in Japan; in Austria 09:00 is at 7 or 8 UTC.
      const midnight = Date.parse(`${tomorrow}T00:00:00Z`)
      await advance(midnight - 60_000 - target().now())
      expect(await read(id)).toMatchObject({ status: "Sending", stats: { audience: 5, submitted: 0 } })
      // A person who moves meanwhile gets the campaign at the local time of the new zone.
      const [early, late] = contacts.slice(3)
      await account.api("POST", "/contacts", { id: early!.id, countryCode: "JP" })
      await account.api("POST", "/contacts", { id: late!.id, countryCode: "PE" })
      await advance(180_000)
      for (const { email } of [contacts[0]!, early!]) expect(await mailTo(email)).toHaveLength(1)
      for (const { email } of [contacts[1]!, late!]) expect(await mailTo(email)).toEqual([])
      await advance("9 hours")
      expect(await mailTo(contacts[1]!.email)).toHaveLength(1)
      // A person who moves to a zone where the time has passed is late.
      await account.api("POST", "/contacts", { id: punctual.contacts[1]!.id, countryCode: "JP" })
      await advance("6 minutes")
      expect(await read(skipping)).toMatchObject({
        status: "Sent",
        stats: { submitted: 1, skippedBy: { "campaigns.local_time_passed": 1 } }
      })
      await act(id, "cancel")
      await advance("2 days")
      expect(await read(id)).toMatchObject({
        status: "Cancelled",
        stats: { submitted: 3, cancelled: 2, pending: 0 }
      })
      for (const { email } of [contacts[2]!, late!]) expect(await mailTo(email)).toEqual([])
      expect(await recount(id)).toBe(true)
    })

    /** An account of a new company, whose settings affect no other test. */
    const fresh = async (settings: object) => {
      const { sandbox } = await openWorkspace(target(), "Settings")
      expect((await sandbox.manage("PATCH", "/settings", settings)).codes).toEqual([])
      return sandbox
    }
    const peopleOf = async (own: TestAccount, size: number, values: object = {}) => {
      const contacts = Array.from({ length: size }, (_, index) => ({
        email: `p${index}@people.example`,
        consent: { basis: "Customer" },
        ...values
      }))
      await own.api("POST", "/contacts/batch", { contacts })
      const made = await own.manage<{ readonly id: string }>("POST", "/segments", {
        name: "all",
        definition: {
          join: "All",
          rules: [{ fieldKey: "email", operator: "EndsWith", value: "@people.example" }]
        }
      })
      return made.value.id
    }
    const launchIn = async (own: TestAccount, write: object) => {
      const made = await own.manage<Campaign>("POST", "/campaigns", { name: "Own", content, ...write })
      expect(made.codes).toEqual([])
      const launched = await own.manage<Campaign>("POST", `/campaigns/${made.value.id}/launch`)
      expect(launched.codes).toEqual([])
      return made.value.id
    }
    const untilIn = (own: TestAccount, id: string, satisfied: (campaign: Campaign) => boolean) =>
      eventually(async () => {
        const campaign = (await own.manage<Campaign>("GET", `/campaigns/${id}`)).value
        if (!satisfied(campaign)) await target().advance?.("1100 millis")
        return campaign
      }, satisfied)

    it("follow the account's time zone and quiet hours of now, for those who still wait by them", async () => {
      const { advance } = target()
      if (advance === null) return
      const own = await fresh({ timeZone: "America/Lima" })
      const day = new Date(target().now() + 2 * 86_400_000).toISOString().slice(0, 10)
      const at = (time: string) => Date.parse(`${day}T${time}:00Z`) - target().now()
      const segment = await peopleOf(own, 2)
      await own.api("POST", "/contacts", { email: "p1@people.example", countryCode: "PE" })
      const id = await launchIn(own, {
        audience: { segments: [segment] },
        schedule: { localTime: `${day}T09:00` }
      })
      await advance(at("00:30"))
      const submitted = async () =>
        (await own.manage<Campaign>("GET", `/campaigns/${id}`)).value.stats.submitted
      expect(await submitted()).toBe(0)
      // It is 09:30 in Japan, so people without their own zone are late.
      expect((await own.manage("PATCH", "/settings", { timeZone: "Asia/Tokyo" })).codes).toEqual([])
      await advance("1 minute")
      expect(await submitted()).toBe(1)
      await own.manage("PATCH", "/settings", {
        timeZone: "Europe/Vienna",
        quietHours: { from: "00:00", to: "23:59" }
      })
      await advance(at("14:05"))
      expect(await submitted()).toBe(1)
      await own.manage("PATCH", "/settings", { quietHours: null })
      await advance("1 minute")
      expect(await own.manage<Campaign>("GET", `/campaigns/${id}`)).toMatchObject({
        value: { status: "Sent", stats: { submitted: 2, pending: 0 } }
      })
    })

    it("need the approval of another user, of what is sent, before a launch and after a change", async () => {
      const { companyId, sandbox: own } = await openWorkspace(target(), "Approvals")
      const above = (people: number) =>
        own.manage("PATCH", "/settings", { campaignApproval: { required: true, above: people } })
      expect((await above(-1)).fields).toEqual(["campaignApproval.above"])
      const segment = await peopleOf(own, 3)
      await above(3)
      await launchIn(own, { audience: { segments: [segment] } })
      await above(2)
      const [author, editor] = [
        await joinCompany(target(), companyId, `author${++count}@team.example`, "Marketer"),
        await joinCompany(target(), companyId, `editor${++count}@team.example`, "Marketer")
      ]
      const as = (who: { readonly browser: Browser }) => {
        const path = `/accounts/${own.accountId}/campaigns`
        return {
          create: (json: object) => who.browser.send<Approvable>("POST", path, json),
          change: (id: string, json: object) => who.browser.send<Approvable>("PATCH", `${path}/${id}`, json),
          act: (id: string, action: string, json: object = {}) =>
            who.browser.send<Approvable>("POST", `${path}/${id}/${action}`, json)
        }
      }
      const template = await own.manage<{ readonly id: string }>("POST", "/templates", {
        name: "T",
        subject: "One",
        html: "<p>One</p>"
      })
      const { templateId } = { templateId: template.value.id }
      const drafted = await as(author).create({
        name: "Large",
        content: { templateId },
        audience: { segments: [segment] }
      })
      const { id } = drafted.value
      expect(drafted.value.approval).toEqual({ state: "Missing", by: null, at: null, comment: null })
      const refusal = async () => {
        const refused = await as(author).act(id, "launch")
        return [refused.status, ...refused.codes]
      }
      const needed = [409, "campaigns.approval_required"]
      expect(await refusal()).toEqual(needed)
      const requested = await as(author).act(id, "approval", { action: "Request", comment: "Please look" })
      expect(requested.value.approval).toMatchObject({
        state: "Requested",
        by: { kind: "User", id: author.userId },
        comment: "Please look"
      })
      const waiting = async () =>
        (await own.manage<Page<Campaign>>("GET", "/campaigns?approval=Requested")).value.items.map(
          (campaign) => campaign.id
        )
      expect(await waiting()).toEqual([id])
      expect((await own.manage("GET", "/campaigns?approval=Approved")).status).toBe(400)
      const current = await own.manage<Page<Campaign>>(
        "GET",
        "/campaigns?currentSince=2026-01-01T00:00:00Z&status=Draft"
      )
      expect(current.value.items.map((campaign) => campaign.id)).toEqual([id])
      expect((await own.manage("GET", "/campaigns?currentSince=today")).codes).toEqual(["validation.format"])
      expect((await as(author).act(id, "approval", { action: "Approve" })).codes).toEqual([
        "campaigns.approval_own"
      ])
      // A token is not a user who could differ from the author.
      expect((await own.manage("POST", `/campaigns/${id}/approval`, { action: "Approve" })).codes).toEqual([
        "campaigns.approval_own"
      ])
      const state = async (action: string) =>
        (await as(editor).act(id, "approval", { action })).value.approval.state
      expect(await state("Reject")).toBe("Rejected")
      expect(await waiting()).toEqual([])
      expect(await refusal()).toEqual(needed)
      expect(await state("Approve")).toBe("Approved")
      // The campaign would now send something other than what was approved.
      await own.manage("PATCH", `/templates/${templateId}`, { subject: "Two" })
      expect(await refusal()).toEqual(needed)
      expect(await state("Approve")).toBe("Approved")
      const edited = await as(author).change(id, { name: "Larger" })
      expect(edited.value.approval.state).toBe("Missing")
      expect(await state("Approve")).toBe("Approved")
      expect((await as(author).act(id, "launch")).codes).toEqual([])
      await as(author).act(id, "pause")
      const paused = await as(author).change(id, { tags: ["large"] })
      expect(paused.value).toMatchObject({ status: "Paused", approval: { state: "Approved" } })
      const second = await as(author).change(id, { content: { subject: "Three", text: "Three" } })
      expect(second.value.approval.state).toBe("Missing")
      expect((await as(author).act(id, "resume")).codes).toEqual(["campaigns.approval_required"])
      expect(await state("Approve")).toBe("Approved")
      expect((await as(author).act(id, "resume")).value.status).toBe("Sending")
      const audit = await own.manage<Page<{ readonly action: string }>>("GET", `/audit-log?target=${id}`)
      expect(audit.value.items.map(({ action }) => action)).toContain("campaign.approval_changed")
    })

    it("send no one more than the frequency caps allow, whatever sends it", async () => {
      const own = await fresh({ marketingCaps: [{ emails: 2, days: 1 }] })
      const segment = await peopleOf(own, 3)
      const whom = { segments: [segment] }
      const ids = [await launchIn(own, { audience: whom }), await launchIn(own, { audience: whom })]
      for (const id of ids) await untilIn(own, id, ({ status }) => status === "Sent")
      const third = await launchIn(own, { audience: whom })
      const { stats } = await untilIn(own, third, ({ status }) => status === "Sent")
      expect(stats).toMatchObject({ submitted: 0, skippedBy: { "sending.gate_frequency": 3 } })
      expect(await mailOf(own).inbox()).toHaveLength(6)
      // Transactional email is neither held nor counted.
      const sending = await own.api("POST", "/sending/emails", {
        to: "p0@people.example",
        subject: "s",
        text: "t"
      })
      expect(sending.status).toBe(201)
      if (target().advance === null) return
      const waiting = await launchIn(own, { audience: whom, whenCapped: { action: "Wait", hours: 48 } })
      await untilIn(own, waiting, ({ phase }) => phase === "Waiting")
      await target().advance?.("25 hours")
      expect((await untilIn(own, waiting, ({ status }) => status === "Sent")).stats.submitted).toBe(3)
      expect(await own.manage("POST", `/campaigns/${waiting}/recount`)).toMatchObject({
        value: { equal: true }
      })
    })

    it.each([
      ["people complained", "Complaint", "campaigns.complaints", 6],
      ["addresses bounced", "Bounce", "campaigns.bounces", 20]
    ])(
      "pause themselves soon after %s, while everyone else waits for a time",
      async (_, kind, reason, size) => {
        const own = await fresh({ timeZone: "UTC" })
        const segment = await peopleOf(own, size)
        // This person's zone is nine hours ahead of the others, whose window is open.
        await own.api("POST", "/contacts", {
          email: "later@people.example",
          countryCode: "JP",
          consent: { basis: "Customer" }
        })
        const hour = (ahead: number) =>
          new Date(target().now() + ahead * 3_600_000).toISOString().slice(11, 13) + ":00"
        const id = await launchIn(own, {
          audience: { segments: [segment] },
          window: { from: hour(-1), to: hour(3) }
        })
        await untilIn(
          own,
          id,
          ({ phase, stats }) => phase === "Waiting" && stats.emails["delivered"] === size
        )
        for (const { id: message } of await mailOf(own).inbox()) {
          expect((await own.manage("POST", `/inbox/${message}/simulate`, { kind })).codes).toEqual([])
        }
        const complainedAt = target().now()
        const paused = await untilIn(own, id, ({ status }) => status === "Paused")
        expect(paused.statusReason).toBe(reason)
        if (target().advance !== null) expect(target().now() - complainedAt).toBeLessThanOrEqual(5_000)
        expect(paused.stats.pending).toBe(1)
      }
    )

    it("pause where a check fails at their time, and go on once it passes", async () => {
      const { advance } = target()
      if (advance === null) return
      const own = await fresh({})
      const segment = await peopleOf(own, 1)
      const at = new Date(target().now() + 3_600_000).toISOString()
      const id = await launchIn(own, { audience: { segments: [segment] }, schedule: { at } })
      const among = (value: string) => {
        const definition = { join: "All", rules: [{ fieldKey: "email", operator: "EndsWith", value }] }
        return own.manage("PATCH", `/segments/${segment}`, { definition })
      }
      await among("@nowhere.example")
      await advance("61 minutes")
      const paused = (await own.manage<Campaign>("GET", `/campaigns/${id}`)).value
      expect(paused).toMatchObject({ status: "Paused", statusReason: "campaigns.check_failed" })
      const resume = () => own.manage("POST", `/campaigns/${id}/resume`)
      expect((await resume()).codes).toEqual(["campaigns.audience_empty"])
      await among("@people.example")
      expect((await resume()).codes).toEqual([])
      expect((await untilIn(own, id, ({ status }) => status === "Sent")).stats.submitted).toBe(1)
    })

    it("wait for the end of quiet hours and for their window, by the clock of each person", async () => {
      const { advance } = target()
      if (advance === null) return
      const midnight = Math.ceil(target().now() / 86_400_000) * 86_400_000
      await advance(midnight + 60_000 - target().now())
      const own = await fresh({ quietHours: { from: "22:00", to: "06:00" }, timeZone: "UTC" })
      const whom = { segments: [await peopleOf(own, 2)] }
      const quiet = await launchIn(own, { audience: whom })
      const open = await launchIn(own, { audience: whom, quietHours: "Ignore" })
      const windowed = await launchIn(own, {
        audience: whom,
        quietHours: "Ignore",
        window: { from: "09:00", to: "10:00" }
      })
      expect((await untilIn(own, open, ({ status }) => status === "Sent")).stats.submitted).toBe(2)
      for (const id of [quiet, windowed]) await untilIn(own, id, ({ phase }) => phase === "Waiting")
      const reasons = async (id: string) =>
        (await own.manage<Page<Recipient>>("GET", `/campaigns/${id}/recipients`)).value.items.map(
          ({ reason }) => reason
        )
      expect(await reasons(quiet)).toEqual(["sending.quiet_hours", "sending.quiet_hours"])
      expect(await reasons(windowed)).toEqual(["campaigns.window", "campaigns.window"])
      const { progress } = (await own.manage<Campaign>("GET", `/campaigns/${quiet}`)).value
      expect(progress).toMatchObject({ phase: "Waiting", done: 0, of: 2, etaAt: null })
      expect(progress!.waiting).toEqual([
        { reason: "sending.quiet_hours", count: 2, until: progress!.nextAt }
      ])
      // People who wait for a rule that is changed are decided again by the new rule, whatever time they were waiting for.
      for (const [before, after] of [
        [
          { quietHours: "Ignore", window: { from: "09:00", to: "10:00" } },
          { window: { from: "00:00", to: "09:00" } }
        ],
        [{}, { quietHours: "Ignore" }],
        [{ quietHours: "Ignore", pace: { emails: 1, per: "Day" } }, { pace: { emails: 60, per: "Minute" } }]
      ]) {
        const id = await launchIn(own, { audience: whom, ...before })
        await advance(10_000)
        const path = `/campaigns/${id}`
        expect((await own.manage<Campaign>("POST", `${path}/pause`)).value.stats.submitted).toBeLessThan(2)
        expect((await own.manage("PATCH", path, after)).codes).toEqual([])
        await own.manage("POST", `${path}/resume`)
        await advance(10_000)
        expect((await own.manage<Campaign>("GET", path)).value.stats.submitted).toBe(2)
      }
      await advance(370 * 60_000)
      expect((await untilIn(own, quiet, ({ status }) => status === "Sent")).stats.submitted).toBe(2)
      await advance("3 hours")
      expect((await untilIn(own, windowed, ({ status }) => status === "Sent")).stats.submitted).toBe(2)
    })

    it("pause at once when the domain of their sender is gone, also while everyone waits for a time", async () => {
      const { advance } = target()
      if (advance === null) return
      const own = await fresh({})
      const { value: domain } = await own.manage<{ id: string }>("POST", "/domains", {
        domain: "gone.example"
      })
      await own.manage("POST", `/domains/${domain.id}/verify`, {})
      const day = new Date(target().now() + 3 * 86_400_000).getUTCDay() || 7
      const id = await launchIn(own, {
        audience: { segments: [await peopleOf(own, 2)] },
        from: "hello@gone.example",
        window: { from: "09:00", to: "10:00", days: [day] }
      })
      await untilIn(own, id, ({ phase }) => phase === "Waiting")
      expect((await own.manage("DELETE", `/domains/${domain.id}`)).codes).toEqual([])
      await advance(5_000)
      expect((await own.manage<Campaign>("GET", `/campaigns/${id}`)).value).toMatchObject({
        status: "Paused",
        statusReason: "campaigns.sender_failing"
      })
    })

    it("send no more than their pace allows, and hold out the account's group", async () => {
      const { advance } = target()
      if (advance === null) return
      const own = await fresh({ holdoutPercent: 20 })
      const whom = { segments: [await peopleOf(own, 60)] }
      const id = await launchIn(own, { audience: whom, pace: { emails: 10, per: "Minute" } })
      await advance("2 minutes")
      const { stats } = (await own.manage<Campaign>("GET", `/campaigns/${id}`)).value
      expect(stats.submitted).toBeGreaterThan(10)
      expect(stats.submitted).toBeLessThanOrEqual(21)
      await advance("10 minutes")
      const done = await untilIn(own, id, ({ status }) => status === "Sent")
      expect(done.stats.heldOut).toBeGreaterThan(0)
      expect(done.stats.heldOut + done.stats.submitted).toBe(60)
    })

    it("compare variants by a part of their audience, and send the winner to the rest", async () => {
      const { advance } = target()
      if (advance === null) return
      const { segment } = await audience(40, (index) => ({ language: index % 2 === 0 ? "de-AT" : "fr" }))
      const variant = (id: string) => ({
        id,
        content: {
          subject: `Variant ${id}`,
          text: id,
          languages: { de: { subject: `Variante ${id}`, text: id } }
        }
      })
      const test = { variants: [variant("a"), variant("b")], share: 50, after: "PT1H" }
      expect((await create({ name: "Both", content, test })).codes).toEqual(["campaigns.content_ambiguous"])
      const localTime = new Date(target().now() + 2 * 86_400_000).toISOString().slice(0, 16)
      expect((await create({ name: "Local", test, schedule: { localTime } })).codes).toEqual([
        "campaigns.test_with_local_time"
      ])
      const few = { ...test, variants: [variant("a")] }
      expect((await create({ name: "Few", test: few })).codes).toEqual(["campaigns.test_invalid"])
      const id = await draftFor(segment, { content: null, test })
      expect((await act(id, "preview", { variantId: "b" })).value).toMatchObject({ subject: "Variant b" })
      expect((await act(id, "winner", { variantId: "b" })).codes).toEqual(["campaigns.status_conflict"])
      await launch(id)
      await until(id, ({ phase, stats }) => phase === "Testing" && stats.emails["delivered"]! > 0)
      expect((await act(id, "winner", { variantId: "c" })).codes).toEqual(["campaigns.variant_not_found"])
      const tested = await recipients(id)
      const parts = Map.groupBy(
        tested as ReadonlyArray<Recipient & { variantId: string | null }>,
        (one) => one.variantId
      )
      expect([...parts.keys()].toSorted()).toEqual(["a", "b", null].toSorted())
      expect(
        parts.get(null)!.every(({ reason, state }) => state === "Pending" && reason === "campaigns.test")
      ).toBe(true)
      expect(await recipients(id, "&variant=b")).toHaveLength(parts.get("b")!.length)
      await advance("61 minutes")
      // No one clicked, so the difference may be chance, and the first variant wins.
      const done = (await sent(id)) as Campaign & { readonly winner: string }
      expect(done).toMatchObject({ winner: "a", stats: { submitted: 40 } })
      const mails = (await mailOf(account).inbox()).filter(({ subject }) => subject.startsWith("Variant"))
      expect(mails).toHaveLength(40)
      expect(mails.filter(({ subject }) => subject.startsWith("Variante "))).toHaveLength(20)
      expect(mails.filter(({ subject }) => subject.endsWith(" b"))).toHaveLength(parts.get("b")!.length)
      const stats = await account.manage<{
        readonly items: ReadonlyArray<{ readonly key: string; readonly delivered: number }>
      }>("GET", `/campaigns/${id}/stats?by=Variant`)
      expect(stats.value.items.map(({ delivered, key }) => [key, delivered])).toEqual([
        ["a", 40 - parts.get("b")!.length],
        ["b", parts.get("b")!.length]
      ])
      expect(await recount(id)).toBe(true)
      const asking = await draftFor(segment, { content: null, test: { ...test, decide: "Manual" } })
      await launch(asking)
      await until(asking, (one) => one.phase === "Testing" && one.stats.emails["delivered"]! > 0)
      const listed = async () =>
        (await account.manage<Page<Campaign>>("GET", "/campaigns?status=Sending")).value.items
      expect(await listed()).toMatchObject([{ id: asking, phase: null, isUnsubscribingReported: false }])
      await advance("61 minutes")
      expect(await listed()).toMatchObject([{ id: asking, phase: "Deciding" }])
      expect((await act(asking, "winner", { variantId: "b" })).codes).toEqual([])
      expect(await sent(asking)).toMatchObject({ winner: "b", stats: { submitted: 40 } })
    })

    it("hold their first emails for review; a refusal cancels them", async () => {
      const own = await fresh({ reviewFirst: 2 })
      const whom = { segments: [await peopleOf(own, 4)] }
      for (const decision of ["release", "refuse"] as const) {
        const id = await launchIn(own, { audience: whom })
        await untilIn(own, id, ({ stats }) => stats.emails["pendingReview"] === 2)
        await target().advance?.("5 minutes")
        const held = await own.manage<Page<{ readonly id: string }>>("GET", `/emails?campaignId=${id}`)
        expect(held.value.items).toHaveLength(2)
        for (const email of held.value.items) {
          await own.manage("POST", `/emails/${email.id}/${decision}`)
          if (decision === "refuse") break
        }
        const ended = await untilIn(
          own,
          id,
          ({ stats, status }) => status !== "Sending" && stats.pending === 0
        )
        expect(ended).toMatchObject(
          decision === "release"
            ? { status: "Sent", stats: { submitted: 4, emails: { delivered: 4 } } }
            : { status: "Cancelled", stats: { submitted: 2, cancelled: 2, emails: { delivered: 0 } } }
        )
      }
    })

    it("send nothing to who unsubscribed, was suppressed or erased, whether pending or submitted by then", async () => {
      const withdraw = async (own: TestAccount) => {
        const found = await own.manage<Page<Contact>>("GET", "/contacts?limit=200")
        const idOf = (email: string) => found.value.items.find((one) => one.email === email)!.id
        await own.api("POST", "/contacts", { email: "p0@people.example", consent: { basis: "Unsubscribed" } })
        await own.manage("POST", "/suppressions", { email: "p1@people.example", kind: "Complained" })
        expect((await own.api("DELETE", `/contacts/${idOf("p2@people.example")}`)).status).toBe(200)
      }
      const expectRest = async (own: TestAccount, id: string, stats: object) => {
        const ended = await untilIn(own, id, ({ status }) => status === "Sent")
        expect(ended.stats).toMatchObject({ audience: 4, pending: 0, ...stats })
        expect((await mailOf(own).inbox()).map(({ to }) => to).toSorted()).toEqual([
          "p3@people.example",
          "p4@people.example"
        ])
        expect(await own.manage("POST", `/campaigns/${id}/recount`)).toMatchObject({ value: { equal: true } })
      }
      // These people are submitted; their emails are held for review.
      const held = await fresh({ reviewFirst: 5 })
      const id = await launchIn(held, { audience: { segments: [await peopleOf(held, 5)] } })
      await untilIn(held, id, ({ stats }) => stats.emails["pendingReview"] === 5)
      await withdraw(held)
      const emails = await held.manage<Page<{ readonly id: string }>>("GET", `/emails?campaignId=${id}`)
      expect(emails.value.items).toHaveLength(4)
      for (const email of emails.value.items) await held.manage("POST", `/emails/${email.id}/release`)
      await expectRest(held, id, { submitted: 4, emails: { delivered: 2, suppressed: 2 } })
      // These people are pending, because their time has not come.
      const { advance } = target()
      if (advance === null) return
      const own = await fresh({})
      const localTime = new Date(target().now() + 86_400_000).toISOString().slice(0, 16)
      const whom = { segments: [await peopleOf(own, 5)] }
      const later = await launchIn(own, { audience: whom, schedule: { localTime } })
      await advance("12 hours")
      expect((await own.manage<Campaign>("GET", `/campaigns/${later}`)).value.stats).toMatchObject({
        pending: 5
      })
      await withdraw(own)
      await advance("13 hours")
      await expectRest(own, later, {
        submitted: 2,
        skippedBy: { "sending.gate_complained": 1, "sending.gate_consent": 1 }
      })
    })

    it("are sent as a test to those who write them, marked, and counted nowhere", async () => {
      const { contacts, segment } = await audience(1)
      const own = '<a href="{{ preferencesUrl }}">Choose</a> <a href="{{ webVersionUrl }}">View</a>'
      const id = await draftFor(segment, { content: { ...content, html: content.html + own } })
      await account.manage("POST", "/suppressions", { email: "gone@test.example", kind: "Complained" })
      const to = ["me@test.example", "gone@test.example"]
      const tested = await act(id, "test", { to, contactId: contacts[0]!.id })
      expect(tested.status).toBe(202)
      expect(tested.value).toEqual({
        sent: ["me@test.example"],
        refused: [{ email: "gone@test.example", reason: "sending.gate_complained" }]
      })
      const [mail] = await eventually(
        () => mailTo("me@test.example"),
        (found) => found.length === 1
      )
      expect(mail).toMatchObject({ subject: "[Test] Hello P0" })
      expect((await read(id)).stats).toMatchObject({ audience: 0 })
      const { email } = contacts[0]!
      const links = [...String(mail!["html"]).matchAll(/href="([^"]+)"/g)].map(([, url]) => new URL(url!))
      const pages = links.map(({ pathname, search }) => pathname + search)
      expect(pages.map((path) => path.slice(0, 3))).toEqual(["/p/", "/w/", "/u/", "/p/"])
      // The pages say that the email was a test, and change nothing.
      for (const path of pages) {
        for (const method of path.startsWith("/w/") ? ["GET"] : ["GET", "POST"]) {
          const shown = await target().fetch(path, {
            method,
            ...(method === "POST" && {
              headers: { "content-type": "application/x-www-form-urlencoded" },
              body: "action=unsubscribe"
            })
          })
          expect([method, path, shown.status]).toEqual([method, path, 200])
          expect(await shown.text()).toContain("This link is from a test email")
        }
      }
      const [person] = (
        await account.manage<Page<Contact & { readonly consentStatus: string }>>(
          "GET",
          `/contacts?q=${email}`
        )
      ).value.items
      expect(person!.consentStatus).not.toBe("Unsubscribed")
      expect((await act(id, "test", { to: ["no address"] })).codes).toEqual(["validation.email"])
      expect((await act(id, "test", { to: [] })).codes).toEqual(["validation.required"])
      const tens = Array.from({ length: 10 }, (_, ten) =>
        Array.from({ length: 10 }, (_one, index) => `p${ten}x${index}@test.example`)
      )
      const statuses = []
      for (const some of tens) statuses.push((await act(id, "test", { to: some })).status)
      expect(statuses).toEqual([...Array.from({ length: 9 }, () => 202), 429])
      const live = workspace.live
      const other = await live.manage<Campaign>("POST", "/campaigns", { name: "Live", content })
      expect((await live.manage("POST", `/campaigns/${other.value.id}/test`, { to })).codes).toEqual([
        "campaigns.test_address_refused",
        "campaigns.test_address_refused"
      ])
      // Nor to a person who has been invited but is not a member yet.
      const invited = await invite(target(), workspace.companyId, "invited@team.example", "Viewer")
      expect(
        (await live.manage("POST", `/campaigns/${other.value.id}/test`, { to: [invited.email] })).codes
      ).toEqual(["campaigns.test_address_refused"])
    })

    it("show their versions, history and emails, and stand side by side", async () => {
      const { contacts, segment } = await audience(2)
      const source =
        "<mjml><mj-body><mj-section><mj-column><mj-text>Hi</mj-text></mj-column></mj-section></mj-body></mjml>"
      const template = await account.manage<{ readonly id: string }>("POST", "/templates", {
        name: "Spring",
        subject: "Templated",
        html: source
      })
      const templateId = template.value.id
      const at = new Date(target().now() + 3_600_000).toISOString()
      const id = await draftFor(segment, {
        content: { templateId },
        topic: "news",
        schedule: { at },
        utm: { source: "news", medium: "email", campaign: "spring" }
      })
      await launch(id)
      expect((await account.manage("DELETE", `/templates/${templateId}`)).codes).toEqual(["templates.in_use"])
      const topics = await account.manage<Page<{ readonly id: string; readonly key: string }>>(
        "GET",
        "/topics"
      )
      const topic = topics.value.items.find(({ key }) => key === "news")!
      expect((await account.manage("PATCH", `/topics/${topic.id}`, { isArchived: true })).codes).toEqual([
        "topics.in_use"
      ])
      await act(id, "unschedule")
      await account.manage("PATCH", `/campaigns/${id}`, {
        schedule: null,
        content: {
          subject: "Linked",
          html: '<a href="https://shop.example/a?x=1#part">A</a> <a data-no-utm href="https://shop.example/b">B</a>',
          text: "A: https://shop.example/a?x=1#part. (https://shop.example/b?utm_source=own) {{ unsubscribeUrl }}!"
        }
      })
      await launch(id)
      await sent(id)
      const versions = await account.manage<
        ReadonlyArray<{ readonly version: number; readonly received: number; readonly subject: string }>
      >("GET", `/campaigns/${id}/versions`)
      expect(versions.value.map(({ received, subject, version }) => [version, subject, received])).toEqual([
        [2, "Linked", 2],
        [1, "Templated", 0]
      ])
      expect((await account.manage("GET", `/campaigns/${id}/versions/2`)).value).toEqual(versions.value[0])
      expect((await account.manage("GET", `/campaigns/${id}/versions/9`)).status).toBe(404)
      const history = await account.manage<ReadonlyArray<{ readonly to: string }>>(
        "GET",
        `/campaigns/${id}/history`
      )
      expect(history.value.map(({ to }) => to)).toEqual(["Sent", "Sending", "Draft", "Scheduled", "Draft"])
      const emails = await account.manage<Page<{ readonly id: string; readonly subject: string }>>(
        "GET",
        `/emails?campaignId=${id}`
      )
      expect(emails.value.items.map(({ subject }) => subject)).toEqual(["Linked", "Linked"])
      const counted = await account.manage<{
        readonly items: ReadonlyArray<{ readonly key: string; readonly delivered: number }>
      }>("GET", "/stats?by=Campaign")
      const delivered = counted.value.items.filter(({ key }) => key === id).map((row) => row.delivered)
      expect(delivered).toEqual([2])
      const [{ id: emailId }] = emails.value.items as unknown as [{ readonly id: string }]
      expect((await account.manage("GET", `/emails/${emailId}`)).value).toMatchObject({
        subject: "Linked",
        source: "Campaign",
        campaignId: id,
        flowId: null
      })
      const shown = await account.manage<{ readonly html: string; readonly text: string }>(
        "GET",
        `/emails/${emailId}/content`
      )
      expect(shown.value.html).toContain(
        "https://shop.example/a?x=1&amp;utm_source=news&amp;utm_medium=email&amp;utm_campaign=spring#part"
      )
      expect(shown.value.text).toMatch(
        /^A: https:\/\/shop\.example\/a\?x=1&utm_source=news&utm_medium=email&utm_campaign=spring#part\. \(https:\/\/shop\.example\/b\?utm_source=own&utm_medium=email&utm_campaign=spring\) https?:\/\/[^?\s]*!\s*$/
      )
      expect(shown.value.html).toContain('href="https://shop.example/b"')
      // The campaign's events are on the person's timeline, page by page.
      const { contactId, messageId } = (await recipients(id))[0]!
      const name = uniqueName()
      await flowsOf(account).report(name, { id: contactId })
      interface Entry {
        readonly name: string
        readonly properties: object
        readonly source: string
      }
      const timeline = async (of: string, query = "") =>
        (await account.manage<ListPage<Entry>>("GET", `/contacts/${of}/timeline?limit=1${query}`)).value
      const first = await eventually(
        () => timeline(contactId, "&count=exact"),
        ({ totalCount }) => totalCount === 2
      )
      expect(first.items[0]!.name).toBe(name)
      const second = await timeline(contactId, `&after=${first.next}`)
      expect(second.items).toMatchObject([
        { name: "email.sent", properties: { messageId, campaignId: id }, source: "Service" }
      ])
      const reader = contacts.find((contact) => contact.id !== contactId)!
      expect((await timeline(reader.id)).items).toMatchObject([{ properties: { campaignId: id } }])
      const other = await draftFor(segment)
      const compared = await account.manage<ReadonlyArray<{ readonly id: string; readonly stats: Stats }>>(
        "GET",
        `/campaigns/compare?ids=${id},${other}`
      )
      expect(compared.value.map(({ stats }) => stats.submitted)).toEqual([2, 0])
      expect((await account.manage("GET", `/campaigns/compare?ids=${id}`)).codes).toEqual([
        "validation.format"
      ])
    })

    it("show how often each of their links was clicked, by whom, and who unsubscribed by one", async () => {
      const { advance, baseUrl, fetch } = target()
      const { contacts, segment } = await audience(2)
      const html =
        '<a href="https://shop.example/a?x=1">A</a> <a href="https://shop.example/b">B</a> <a href="https://shop.example/{{ contact.firstName }}">Own</a>' +
        '{% if contact.firstName == "P1" %}<a href="https://shop.example/only/{{ contact.firstName }}">Only</a>{% endif %}' +
        '{% assign sizes = "s,m" | split: "," %}{% for size in sizes %}<a href="https://shop.example/{{ size }}">{{ size }}</a>{% endfor %}' +
        `{{ '<a href="https://shop.example/made">Made</a>' | raw }}` +
        '<p>Dear {{ contact.firstName | default: "reader" }}</p><img src="https://shop.example/i.png">' +
        '<a href="{{ webVersionUrl }}">View</a><a href="{{ preferencesUrl }}">Choose</a><script>1</script>'
      const id = await draftFor(segment, {
        content: { subject: "Links", html },
        tracking: { opens: false, clicks: true },
        utm: { source: "news", medium: "email", campaign: "spring" }
      })
      await launch(id)
      await sent(id)
      const many = Array.from({ length: 130 }, (_, at) => `<a href="https://shop.example/m/${at}">${at}</a>`)
      const other = await draftFor(segment, {
        content: { subject: "Many", html: many.join("") },
        tracking: { opens: false, clicks: true }
      })
      await launch(other)
      await sent(other)
      await advance?.("10 minutes")
      const pathsOf = async (email: string, subject: string) => {
        const mail = (await mailTo(email)).find((one) => one.subject === subject)
        return [...String(mail!["html"]).matchAll(/href="([^"]+)"/g)].map(([, url]) =>
          url!.slice(baseUrl.length)
        )
      }
      const browser = {
        "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0",
        "accept-language": "en"
      }
      const program = { "user-agent": "curl/8.5.0" }
      const [first, second] = [
        await pathsOf(contacts[0]!.email, "Links"),
        await pathsOf(contacts[1]!.email, "Links")
      ]
      for (const [path, headers] of [
        [first[0]!, browser],
        [first[2]!, browser],
        // The link in the condition, both links of the loop, and the one whose tag is generated by rendering.
        ...[0, 3, 4, 5, 6].map((index) => [second[index]!, program] as const)
      ] as const) {
        expect((await fetch(path, { headers, redirect: "manual" })).status).toBe(302)
      }
      interface Link {
        readonly number: number | null
        readonly url: string | null
        readonly text: string | null
        readonly people: Readonly<Record<string, number>>
        readonly clicks: number
        readonly firstAt: string | null
        readonly lastAt: string | null
      }
      const clickedLinks = async (of: string, times: number) =>
        eventually(
          async () => (await account.manage<ReadonlyArray<Link>>("GET", `/campaigns/${of}/links`)).value,
          (found) => found.reduce((sum, { clicks }) => sum + clicks, 0) === times
        )
      const links = await clickedLinks(id, 7)
      expect(links.map(({ clicks, number, text, url }) => [number, url, text, clicks])).toEqual([
        [1, "https://shop.example/a?x=1", "A", 2],
        [2, "https://shop.example/b", "B", 0],
        [3, "https://shop.example/{{ contact.firstName }}", "Own", 1],
        [4, "https://shop.example/only/{{ contact.firstName }}", "Only", 1],
        [5, "https://shop.example/{{ size }}", "{{ size }}", 2],
        [null, null, null, 1]
      ])
      expect(links[1]).toMatchObject({ people: { human: 0, unknown: 0, machine: 0 }, firstAt: null })
      const visitorsOf = ({ people }: Link) => Object.values(people).reduce((sum, one) => sum + one, 0)
      // One person followed both links of the loop.
      expect(links.map(visitorsOf)).toEqual([2, 0, 1, 1, 1, 1])
      for (const { clicks, firstAt, lastAt } of links) {
        expect(firstAt === null ? null : Date.parse(firstAt) <= Date.parse(lastAt!)).toBe(
          clicks === 0 ? null : true
        )
      }
      // Of one email, the clicked links beyond the first 128 count as one.
      const followed = (await pathsOf(contacts[1]!.email, "Many")).slice(0, many.length)
      for (let at = 0; at < followed.length; at += 26) {
        const group = followed.slice(at, at + 26)
        await Promise.all(group.map((path) => fetch(path, { headers: program, redirect: "manual" })))
      }
      const counted = await clickedLinks(other, many.length)
      expect(counted.filter(({ clicks, number }) => number !== null && clicks === 1)).toHaveLength(128)
      expect(counted.at(-1)).toMatchObject({ number: null, url: null, clicks: 2 })
      expect(visitorsOf(counted.at(-1)!)).toBe(1)
      if (advance !== null) expect(links[0]!.people).toEqual({ human: 1, unknown: 0, machine: 1 })
      // The people behind each number.
      const listed = async (query: string) => (await recipients(id, query)).map(({ contactId }) => contactId)
      expect(await listed("&link=1")).toHaveLength(2)
      expect(await listed("&link=2")).toEqual([])
      expect(await listed("&link=3")).toEqual([contacts[0]!.id])
      expect(await listed("&link=4,5")).toEqual([contacts[1]!.id])
      expect(await listed("&clicked=None")).toEqual([])
      if (advance !== null) expect(await listed("&clicked=Human,Unknown&link=1,2")).toEqual([contacts[0]!.id])
      expect(await listed(`&q=P1@${contacts[1]!.email.split("@")[1]!}`)).toEqual([contacts[1]!.id])
      expect(await listed("&unsubscribed=true")).toEqual([])
      expect(await listed("&converted=false&status=Delivered&version=1")).toHaveLength(2)
      for (const wrong of ["link=x", "opened=Nobody", "converted=yes", "version=0"]) {
        const refused = await account.manage("GET", `/campaigns/${id}/recipients?${wrong}`)
        expect([wrong, refused.status, refused.fields]).toEqual([wrong, 400, [wrong.split("=")[0]]])
      }
      const one = await account.manage<
        Recipient & {
          readonly links: ReadonlyArray<number>
          readonly explanation: { readonly verdict: string }
        }
      >("GET", `/campaigns/${id}/recipients/${contacts[0]!.id}`)
      expect(one.value).toMatchObject({
        state: "Submitted",
        version: 1,
        links: [1, 3],
        conversions: 0,
        unsubscribedAt: null,
        renderError: null,
        explanation: { verdict: "Received", because: [{ code: "explain.delivered" }] }
      })
      const clicked = (await read(id)).stats.clicked
      if (advance !== null) expect(clicked).toEqual({ human: 1, unknown: 0, machine: 1 })
      expect(clicked.human + clicked.unknown + clicked.machine).toBe(2)
      // A topic turned off through the link is counted once.
      const { items: topics } = (await account.manage<Page<{ readonly id: string }>>("GET", "/topics")).value
      const choices = topics.map((topic): [string, string] => ["shown", topic.id])
      const preferences = second.find((path) => path.startsWith("/p/"))!
      for (let times = 0; times < 2; times++) {
        const saved = await fetch(preferences, {
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: new URLSearchParams(choices).toString(),
          redirect: "manual"
        })
        expect(saved.status).toBeLessThan(400)
      }
      expect((await read(id)).stats).toMatchObject({ topicOff: 1, unsubscribed: 0 })
      expect((await read(other)).stats).toMatchObject({ topicOff: 0 })
      // A link of the previous email counts for that email.
      const unsubscribe = first.find((path) => path.startsWith("/u/"))!
      expect((await fetch(unsubscribe, { method: "POST" })).status).toBe(200)
      expect((await read(id)).stats).toMatchObject({ unsubscribed: 1 })
      expect(await listed("&unsubscribed=true")).toEqual([contacts[0]!.id])
      expect((await read(other)).stats).toMatchObject({ unsubscribed: 0 })
      expect(await recount(id)).toBe(true)
      // A forwarded copy does not lead to the person's own pages.
      const view = first.find((path) => path.startsWith("/w/"))!
      const shown = await fetch(view)
      const document = await shown.text()
      expect(shown.status).toBe(200)
      expect(document).toContain("Dear P0")
      expect(document).toContain('src="https://shop.example/i.png"')
      expect(document).not.toMatch(/\/[uptw]\/|<script|utm_/)
      // The email shown again equals what was sent, until it shows data of the person that have changed since.
      const change = "This email showed other data when it was sent."
      const states = async () => {
        const message = (await mailTo(contacts[0]!.email)).find(({ subject }) => subject === "Links")!
        const shownAgain = await account.manage<{ readonly isAsSent: boolean | null }>(
          "GET",
          `/emails/${String(message["submissionId"])}/content`
        )
        const page = await (await fetch(view)).text()
        return [shownAgain.value.isAsSent, message["isAsSent"], page.includes(change)]
      }
      expect(await states()).toEqual([true, true, false])
      const rename = (firstName: string) =>
        account.api("POST", "/contacts", {
          email: contacts[0]!.email,
          firstName,
          consent: { basis: "Customer" }
        })
      expect((await rename("New")).codes).toEqual([])
      expect(await states()).toEqual([false, false, true])
      await rename("P0")
      expect(await states()).toEqual([true, true, false])
      expect(shown.headers.get("content-security-policy")).toMatch(/^default-src 'none'; .*sandbox/)
      expect([
        shown.headers.get("referrer-policy"),
        shown.headers.get("x-robots-tag"),
        shown.headers.get("set-cookie")
      ]).toEqual(["no-referrer", "noindex, nofollow", null])
      for (const path of [
        `${view}x`,
        view.replace("/w/", "/u/"),
        unsubscribe.replace("/u/", "/w/"),
        "/w/x"
      ]) {
        expect((await fetch(path)).status).toBe(404)
      }
      await account.api("DELETE", `/contacts/${contacts[0]!.id}`)
      const anonymous = await fetch(view)
      expect(anonymous.status).toBe(200)
      expect(await anonymous.text()).toContain("Dear reader")
    })

    it("stand in the account's archive and its feed once they are public and sent, while it is on", async () => {
      const { companyId, sandbox: own } = await openWorkspace(target(), "Archive")
      const { fetch } = target()
      const settings = async (archive: object) =>
        (await own.manage<{ readonly archive: { readonly url: string } }>("PATCH", "/settings", { archive }))
          .value
      const { url } = (await settings({ enabled: false })).archive
      const base = url.slice(target().baseUrl.length)
      const whom = { segments: [await peopleOf(own, 1)] }
      const archive = { public: true, title: "Spring & <b>", summary: "Prices" }
      const html =
        "<p>Dear {{ contact.firstName | default: 'reader' }} <a href='{{ unsubscribeUrl }}'>No more</a></p>"
      const id = await launchIn(own, {
        name: "Frühling 2026!",
        audience: whom,
        content: { subject: "Subject", html },
        archive
      })
      const other = await own.manage<Campaign>("POST", "/campaigns", {
        name: "Second",
        archive: { slug: "fruhling-2026" }
      })
      expect([other.status, other.codes, other.fields]).toEqual([
        409,
        ["campaigns.slug_taken"],
        ["archive.slug"]
      ])
      const wrong = await own.manage<Campaign>("POST", "/campaigns", {
        name: "Bad",
        archive: { slug: "No!" }
      })
      expect([wrong.codes, wrong.fields]).toEqual([["validation.format"], ["archive.slug"]])
      // Another campaign with that name gets another slug, and is not shown while it is a draft.
      const twin = await own.manage<{ readonly archive: { readonly slug: string } }>("POST", "/campaigns", {
        name: "Frühling 2026!",
        archive: { public: true }
      })
      expect(twin.value.archive.slug).toMatch(/^fruhling-2026-[0-9a-f]{12}$/)
      await untilIn(own, id, ({ status }) => status === "Sent")
      const paths = [base, `${base}/fruhling-2026`, `${base}/feed.xml`]
      for (const path of paths) expect((await fetch(path)).status).toBe(404)
      await settings({ enabled: true, title: "News of <i>" })
      const [list, shown, feed] = await Promise.all(paths.map(async (path) => (await fetch(path)).text()))
      expect(list).toContain(`<a href="${url}/fruhling-2026">Spring &amp; &lt;b&gt;</a>`)
      expect(list).toContain("<h1>News of &lt;i&gt;</h1>")
      expect(list).not.toContain(twin.value.archive.slug)
      expect(shown).toContain("Dear reader")
      expect(shown).not.toContain("/u/")
      // The page ends with the brand's footer and address, unless the email contains them.
      const branded = async (brand: object) => {
        const set = await manage(target(), "PUT", `/companies/${companyId}/brand`, { json: brand })
        expect(set.status).toBe(200)
        return (await fetch(paths[1]!)).text()
      }
      const postalAddress = "1 High Street\nTown"
      expect(await branded({ name: "Bold", postalAddress, footer: "<b>Since 1904</b>" })).toMatch(
        /<title>Subject – Bold<\/title>.*&lt;b&gt;Since 1904&lt;\/b&gt;\n\n1 High Street\nTown<\/div>/s
      )
      expect(await branded({ postalAddress: "Dear reader" })).not.toMatch(/Dear reader.*Dear reader/s)
      expect(feed).toMatch(/^<\?xml .*<item\s*><title>Spring &amp; &lt;b&gt;<\/title>/s)
      for (const path of paths) {
        const first = await fetch(path)
        const etag = first.headers.get("etag")!
        expect(first.headers.get("cache-control")).toBe("public, max-age=300")
        expect(first.headers.get("content-security-policy")).toContain("sandbox")
        expect(first.headers.get("set-cookie")).toBeNull()
        const again = await fetch(path, { headers: { "if-none-match": etag } })
        expect([again.status, await again.text()]).toEqual([304, ""])
      }
      for (const path of [
        `${base}?p=2`,
        `${base}?p=x`,
        `${base}/${twin.value.archive.slug}`,
        `${base}/none`,
        "/a/x",
        `/a/${"A".repeat(22)}`
      ]) {
        expect([path, (await fetch(path)).status]).toEqual([path, 404])
      }
      const hidden = await own.manage("PATCH", `/campaigns/${id}`, { archive: { public: false } })
      expect(hidden.codes).toEqual([])
      expect((await fetch(paths[1]!)).status).toBe(404)
      expect(await (await fetch(base)).text()).not.toContain("fruhling-2026")
    })

    it("leave nothing of a person who is erased, and end nevertheless", async () => {
      const { contacts, segment } = await audience(3)
      const id = await draftFor(segment)
      await launch(id)
      await sent(id)
      await account.api("DELETE", `/contacts/${contacts[0]!.id}`)
      expect((await read(id)).stats).toMatchObject({ audience: 2, submitted: 2, emails: { delivered: 2 } })
      expect((await recipients(id)).map(({ contactId }) => contactId)).not.toContain(contacts[0]!.id)
      expect(await recount(id)).toBe(true)
    })

    it("take one of two conflicting changes, and have one history", async () => {
      const { segment } = await audience(1)
      const at = new Date(target().now() + 86_400_000).toISOString()
      const id = await draftFor(segment, { schedule: { at } })
      const path = `/accounts/${account.accountId}/campaigns/${id}`
      const etag = (await manage(target(), "GET", path)).headers.get("etag")!
      const write = (name: string) =>
        manage<Campaign>(target(), "PATCH", path, { json: { name }, headers: { "if-match": etag } })
      const edits = await Promise.all([write("One"), write("Other")])
      expect(edits.map(({ status }) => status).toSorted()).toEqual([200, 412])
      expect(edits.flatMap(({ codes }) => codes)).toEqual(["common.edited_meanwhile"])
      const stale = await manage(target(), "POST", `${path}/launch`, {
        json: {},
        headers: { "if-match": etag }
      })
      expect(stale.status).toBe(412)
      await launch(id)
      // Whichever comes first makes the other impossible.
      const moves = await Promise.all([act(id, "unschedule"), act(id, "cancel")])
      expect(moves.map(({ status }) => status).toSorted()).toEqual([200, 409])
      expect(moves.flatMap(({ codes }) => codes)).toEqual(["campaigns.status_conflict"])
      const { status } = await read(id)
      expect(status).toBe(moves[0]!.status === 200 ? "Draft" : "Cancelled")
      const history = await account.manage<ReadonlyArray<{ readonly to: string }>>(
        "GET",
        `/campaigns/${id}/history`
      )
      expect(history.value.map(({ to }) => to)).toEqual([status, "Scheduled", "Draft"])
      const { createdBy, updatedBy } = await read(id)
      expect([createdBy, updatedBy]).toEqual([
        { kind: "Token", id: null, name: "management" },
        { kind: "Token", id: null, name: "management" }
      ])
    })

    it("keep why they were launched, paused, resumed and cancelled", async () => {
      const { segment } = await audience(1)
      const id = await draftFor(segment, {
        pace: { emails: 1, per: "Day" },
        window: { from: "00:00", to: "00:01" }
      })
      const path = `/campaigns/${id}`
      const steps = {
        launch: "Spring begins",
        pause: "Wrong price",
        resume: " Price is right ",
        cancel: "Sold out"
      }
      const long = await account.manage("POST", `${path}/launch`, { reason: "x".repeat(1_001) })
      expect([long.status, long.codes, long.fields]).toEqual([400, ["validation.max_length"], ["reason"]])
      expect((await account.manage("POST", `${path}/launch`, { reason: 1 })).status).toBe(400)
      expect((await account.manage("POST", `${path}/launch`, { why: "x" })).codes).toEqual([
        "validation.unknown_field"
      ])
      for (const [action, reason] of Object.entries(steps)) {
        expect((await account.manage("POST", `${path}/${action}`, { reason })).codes).toEqual([])
        // A repeated action has no effect and does not change the recorded reason.
        await account.manage("POST", `${path}/${action}`, { reason: "Again" })
        if (action === "pause") expect((await read(id)).statusReason).toBe("campaigns.paused_by_operator")
      }
      const history = await account.manage<ReadonlyArray<{ readonly reason: string | null }>>(
        "GET",
        `${path}/history`
      )
      const reasons = ["Sold out", "Price is right", "Wrong price", "Spring begins"]
      expect(history.value.map(({ reason }) => reason)).toEqual([...reasons, null])
      const audit = await account.manage<
        Page<{ readonly action: string; readonly after: { readonly reason?: string } }>
      >("GET", `/audit-log?target=${id}&action=campaign.status_changed`)
      expect(audit.value.items.map(({ after }) => after.reason)).toEqual(reasons)
    })

    it("send nothing to an address that got them when it was another person's", async () => {
      const { advance } = target()
      if (advance === null) return
      const { contacts, segment, tag } = await audience(2, (index) => ({ countryCode: ["JP", "PE"][index] }))
      const tomorrow = new Date(target().now() + 2 * 86_400_000).toISOString().slice(0, 10)
      const id = await draftFor(segment, { schedule: { localTime: `${tomorrow}T09:00` } })
      await launch(id)
      // At midnight UTC it is 09:00 in Japan; in Peru 09:00 is at 14:00 UTC.
      await advance(Date.parse(`${tomorrow}T00:05:00Z`) - target().now())
      const [early, late] = contacts as [Contact, Contact]
      expect(await mailTo(early.email)).toHaveLength(1)
      const move = async (contact: Contact, email: string) =>
        expect((await account.api("POST", "/contacts", { id: contact.id, email })).codes).toEqual([])
      await move(early, `moved@${tag}.example`)
      await move(late, early.email)
      await advance("15 hours")
      expect((await sent(id)).stats).toMatchObject({
        submitted: 1,
        skippedBy: { "campaigns.duplicate_address": 1 }
      })
      expect(await mailTo(early.email)).toHaveLength(1)
      const [skipped] = await recipients(id, "&reason=campaigns.duplicate_address")
      expect(skipped).toMatchObject({ contactId: late.id, state: "Skipped" })
      expect(await recount(id)).toBe(true)
    })

    it("reject what cannot be sent, with a code on the field", async () => {
      const { segment } = await audience(1)
      const own = { subject: "Hello", html: "<p>Hi</p>\n<p>{{ event.name }}</p>" }
      const ofFlow = await act(await draftFor(segment, { content: own }), "launch")
      expect([ofFlow.status, ofFlow.codes, ofFlow.fields]).toEqual([
        400,
        ["campaigns.content_invalid"],
        ["content.html"]
      ])
      expect(ofFlow.text).toContain('"params":{"line":2,"column":7}')
      const empty = await account.manage<{ readonly id: string }>("POST", "/segments", {
        name: "empty",
        definition: { join: "All", rules: [{ fieldKey: "city", operator: "Equals", value: "no such city" }] }
      })
      const problem = async (write: object) => {
        const { codes, fields } = await create({
          name: "Bad",
          content,
          audience: { segments: [segment] },
          ...write
        })
        return { errors: codes, fields }
      }
      expect(await problem({ name: " " })).toEqual({ errors: ["validation.required"], fields: ["name"] })
      expect(await problem({ audience: { segments: [unknownId] } })).toEqual({
        errors: ["campaigns.segment_not_found"],
        fields: ["audience.segments[0]"]
      })
      expect(await problem({ topic: "nope" })).toEqual({ errors: ["topics.not_found"], fields: ["topic"] })
      expect(await problem({ content: { templateId: unknownId, subject: "x" } })).toEqual({
        errors: ["campaigns.content_ambiguous"],
        fields: ["content"]
      })
      expect((await problem({ content: { templateId: unknownId } })).errors).toEqual([
        "sending.template_not_found"
      ])
      expect(await problem({ content: { subject: "x", html: "{% if %}" } })).toEqual({
        errors: ["sending.template_invalid"],
        fields: ["content.html"]
      })
      const languages = { de: { subject: "x", text: "t" }, DE: { subject: "y", text: "t" } }
      expect(await problem({ content: { subject: "x", text: "t", languages } })).toEqual({
        errors: ["validation.format"],
        fields: ["content.languages.DE"]
      })
      expect((await problem({ schedule: { localTime: "tomorrow" } })).errors).toEqual([
        "campaigns.schedule_invalid"
      ])
      expect((await problem({ schedule: {} })).errors).toEqual(["campaigns.schedule_invalid"])
      expect((await problem({ holdoutPercent: 51 })).errors).toEqual(["validation.range"])
      const id = await draftFor(segment, {
        content: null,
        audience: { segments: [empty.value.id] },
        from: "a@unverified.example",
        schedule: { at: "2001-01-01T00:00:00Z" }
      })
      const refused = await act(id, "launch")
      expect(refused.status).toBe(400)
      expect([...refused.codes].sort()).toEqual([
        "campaigns.audience_empty",
        "campaigns.content_required",
        "campaigns.schedule_past",
        "deliverability.sender_domain_not_verified"
      ])
      const nothing = await act((await create({ name: "Nothing" })).value.id, "launch")
      expect([...nothing.codes].toSorted()).toEqual([
        "campaigns.audience_required",
        "campaigns.content_required"
      ])
      expect((await act(unknownId, "launch")).status).toBe(404)
      expect(await read(id)).toMatchObject({ status: "Draft" })
      const listed = await account.manage<Page<Campaign>>("GET", "/campaigns?status=Draft")
      expect(listed.value.items.map((campaign) => campaign.id)).toContain(id)
      const found = await account.manage<Page<Campaign>>("GET", `/campaigns?segment=${empty.value.id}&q=SPR`)
      expect(found.value.items.map((campaign) => campaign.id)).toEqual([id])
      expect((await account.manage<Page<Campaign>>("GET", "/campaigns?tag=none")).value.items).toEqual([])
      const copied = await act(id, "copy", { name: "Again" })
      expect(copied).toMatchObject({ status: 201, value: { name: "Again", status: "Draft" } })
    })
  })
