/**
 * Campaigns: one message to the people of segments, each once, with pause, cancel and what withdraws a person
 * (docs/campaigns.md).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { eventually } from "../../support/client.ts"
import { mailOf } from "../../support/mail.ts"
import type { Contact, Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount, type Workspace } from "../../support/workspace.ts"

interface Stats {
  readonly audience: number
  readonly pending: number
  readonly submitted: number
  readonly skipped: number
  readonly heldOut: number
  readonly cancelled: number
  readonly skippedBy: Readonly<Record<string, number>>
  readonly emails: Readonly<Record<string, number>>
}

interface Campaign {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly statusReason: string | null
  readonly phase: string | null
  readonly version: number
  readonly stats: Stats
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
    /** The campaign once it satisfies a condition; the service's time goes on meanwhile. */
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

    /** People with a tag of their own, and the segment of the tag. */
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
      expect(await read(id)).toMatchObject({ status: "Draft", version: 0, stats: { audience: 0 } })
      const check = await act(id, "check")
      expect(check.value).toMatchObject({ canLaunch: true, recipients: 5, findings: [] })
      const preview = await act(id, "preview", { contactId: contacts[2]!.id })
      expect(preview.value).toMatchObject({ subject: "Hello P2", problems: [] })
      await launch(id)
      expect((await act(id, "launch")).status).toBe(200)
      const done = await sent(id)
      expect(done).toMatchObject({
        version: 1,
        phase: null,
        stats: { audience: 5, submitted: 5, pending: 0, skipped: 0, emails: { Delivered: 5, Queued: 0 } }
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
      const one = await account.manage("GET", `/campaigns/${id}/recipients/${first!.contactId}`)
      expect(one.value).toEqual(first)
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
      const skipped = await recipients(id, "&state=Skipped")
      const reasons = new Map(skipped.map(({ contactId, reason }) => [contactId, reason]))
      expect(contacts.slice(1, 4).map((contact) => reasons.get(contact.id))).toEqual([
        "sending.gate_consent",
        "sending.gate_topic",
        "sending.gate_complained"
      ])
      expect(await recipients(id, "&reason=sending.gate_topic")).toHaveLength(1)
      expect(await mailTo(contacts[4]!.email)).toEqual([])
      expect(await recount(id)).toBe(true)
    })

    it("skip people for whom the content does not render, and hold out a share of the others", async () => {
      const { segment } = await audience(3, (index) => ({ firstName: index === 0 ? "" : `P${index}` }))
      const failing = {
        subject: "Hi",
        html: "{% if contact.firstName %}{{ contact.email }}{% else %}{% for a in (1..100000) %}{% for b in (1..100000) %}x{% endfor %}{% endfor %}{% endif %}"
      }
      const id = await draftFor(segment, { content: failing })
      await launch(id)
      expect((await sent(id)).stats).toMatchObject({
        submitted: 2,
        skippedBy: { "campaigns.render_failed": 1 }
      })
      const large = await audience(40)
      const other = await draftFor(large.segment, { holdoutPercent: 50 })
      await launch(other)
      const { stats } = await sent(other)
      expect(stats.heldOut).toBeGreaterThan(0)
      expect(stats.heldOut + stats.submitted).toBe(40)
      expect(await recipients(other, "&state=HeldOut")).toHaveLength(stats.heldOut)
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
      const zones = ["JP", "AT", "PE"]
      const { contacts, segment } = await audience(3, (index) => ({ countryCode: zones[index] }))
      const tomorrow = new Date(target().now() + 2 * 86_400_000).toISOString().slice(0, 10)
      const id = await draftFor(segment, { schedule: { localTime: `${tomorrow}T09:00` } })
      await launch(id)
      // It is 09:00 in Japan at midnight UTC; in Austria at 7 or 8.
      const midnight = Date.parse(`${tomorrow}T00:00:00Z`)
      await advance(midnight - 60_000 - target().now())
      expect(await read(id)).toMatchObject({ status: "Sending", stats: { audience: 3, submitted: 0 } })
      await advance(180_000)
      expect(await mailTo(contacts[0]!.email)).toHaveLength(1)
      expect(await mailTo(contacts[1]!.email)).toEqual([])
      await advance("9 hours")
      expect(await mailTo(contacts[1]!.email)).toHaveLength(1)
      await act(id, "cancel")
      await advance("2 days")
      expect(await read(id)).toMatchObject({
        status: "Cancelled",
        stats: { submitted: 2, cancelled: 1, pending: 0 }
      })
      expect(await mailTo(contacts[2]!.email)).toEqual([])
      expect(await recount(id)).toBe(true)
    })

    it("leave nothing of a person who is erased, and end nevertheless", async () => {
      const { contacts, segment } = await audience(3)
      const id = await draftFor(segment)
      await launch(id)
      await sent(id)
      await account.api("DELETE", `/contacts/${contacts[0]!.id}`)
      expect((await read(id)).stats).toMatchObject({ audience: 2, submitted: 2, emails: { Delivered: 2 } })
      expect((await recipients(id)).map(({ contactId }) => contactId)).not.toContain(contacts[0]!.id)
      expect(await recount(id)).toBe(true)
    })

    it("reject what cannot be sent, with a code on the field", async () => {
      const { segment } = await audience(1)
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
      expect((await act(unknownId, "launch")).status).toBe(404)
      expect(await read(id)).toMatchObject({ status: "Draft" })
      const listed = await account.manage<Page<Campaign>>("GET", "/campaigns?status=Draft")
      expect(listed.value.items.map((campaign) => campaign.id)).toContain(id)
      const copied = await act(id, "copy", { name: "Again" })
      expect(copied).toMatchObject({ status: 201, value: { name: "Again", status: "Draft" } })
    })
  })
