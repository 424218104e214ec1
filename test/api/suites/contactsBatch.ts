/**
 * Tests POST /contacts/batch (docs/contributing/public-api.md "Batch rules", docs/contributing/decisions.md 2 and 3).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call } from "../../support/client.ts"
import type { Target } from "../../support/targets.ts"
import type { ConsentEntry, Contact, Page } from "../../support/shapes.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface BatchResult {
  readonly index: number
  readonly status: string
  readonly id: string | null
  readonly errors: ReadonlyArray<{
    readonly code: string
    readonly field: string | null
    readonly params: Readonly<Record<string, number>> | null
  }> | null
}

interface BatchWritten {
  readonly created: number
  readonly updated: number
  readonly failed: number
  readonly results: ReadonlyArray<BatchResult>
}

const times = <A>(count: number, make: (index: number) => A): Array<A> =>
  Array.from({ length: count }, (_, index) => make(index))

export const contactsBatchSuite = (target: () => Target) =>
  describe("contacts batch", () => {
    let account: TestAccount
    let serial = 0
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Batches")).sandbox
    })
    const freshEmail = () => `person${++serial}@batch.example`
    const send = (contacts: unknown) => account.api<BatchWritten>("POST", "/contacts/batch", { contacts })
    const written = async (contacts: unknown) => (await send(contacts)).value
    const read = async (reference: string) =>
      (await account.api<Contact>("GET", `/contacts/${encodeURIComponent(reference)}`)).value

    it("writes each contact as POST /contacts does, and returns results in the order of the items", async () => {
      const there = freshEmail()
      const { contact } = (await account.api<{ contact: Contact }>("POST", "/contacts", { email: there }))
        .value
      const answer = await send([
        { email: freshEmail(), firstName: " Ada " },
        { email: there, city: "Paris" },
        { email: "nobody" },
        { externalId: `none-${serial}` },
        { id: contact.id, firstName: "x".repeat(201) }
      ])
      expect(answer.status).toBe(200)
      const { results, ...counts } = answer.value
      expect(counts).toEqual({ created: 1, updated: 1, failed: 3 })
      expect(results).toEqual([
        { index: 0, status: "Created", id: expect.any(String), errors: null },
        { index: 1, status: "Updated", id: contact.id, errors: null },
        {
          index: 2,
          status: "Failed",
          id: null,
          errors: [{ code: "validation.email", field: "email", params: null }]
        },
        {
          index: 3,
          status: "Failed",
          id: null,
          errors: [{ code: "audience.contact_email_required", field: "email", params: null }]
        },
        {
          index: 4,
          status: "Failed",
          id: null,
          errors: [{ code: "validation.max_length", field: "firstName", params: { max: 200 } }]
        }
      ])
      expect((await read(results[0]!.id!)).firstName).toBe("Ada")
      expect((await read(contact.id)).city).toBe("Paris")
    })

    it("takes an empty batch", async () => {
      expect(await written([])).toEqual({ created: 0, updated: 0, failed: 0, results: [] })
    })

    it("applies each write after those before it", async () => {
      const [first, second] = [freshEmail(), freshEmail()]
      const externalId = `batch-${serial}`
      const { created, results, updated } = await written([
        { email: first, externalId },
        { externalId, email: second },
        { email: first },
        { email: second, firstName: "Ada" },
        { email: first, externalId }
      ])
      expect([created, updated]).toEqual([2, 2])
      expect(results[1]!.id).toBe(results[0]!.id)
      expect(results[3]!.id).toBe(results[0]!.id)
      expect(results[2]!.id).not.toBe(results[0]!.id)
      expect(results[4]!.errors).toEqual([
        { code: "audience.contact_identity_conflict", field: "email", params: null }
      ])
    })

    it("rejects an item of an invalid shape alone, by its fields", async () => {
      const { failed, results } = await written([
        { email: freshEmail(), firstName: 5 },
        { email: freshEmail(), firstName: {}, consent: { basis: "Subscribed", proof: { text: 1 } } },
        { email: freshEmail(), consent: {} },
        { email: freshEmail(), attributes: [], topics: { news: "yes" } },
        5,
        null,
        "text",
        [],
        { email: freshEmail(), somethingElse: 1 }
      ])
      expect(failed).toBe(8)
      const fields = results.map((result) => result.errors?.map((error) => error.field).toSorted() ?? null)
      expect(fields).toEqual([
        ["firstName"],
        ["consent.proof.text", "firstName"],
        ["consent.basis"],
        ["attributes", "topics.news"],
        [null],
        [null],
        [null],
        [null],
        null
      ])
      const codes = new Set(results.flatMap((result) => result.errors?.map((error) => error.code) ?? []))
      expect([...codes]).toEqual(["validation.type"])
    })

    it.each([
      ["no list", {}, "contacts"],
      ["null", { contacts: null }, "contacts"],
      ["an object", { contacts: { 0: { email: "a@b.example" } } }, "contacts"],
      ["a list alone", [], "body"]
    ])("returns problem+json for %s", async (_, json, field) => {
      const answer = await account.api("POST", "/contacts/batch", json)
      expect(answer.status).toBe(400)
      expect(answer.refusal).not.toBeNull()
      expect(answer.fields).toEqual([field])
    })

    it("accepts 1,000 contacts and rejects 1,001 as a whole", async () => {
      const people = times(1000, () => ({ email: freshEmail(), firstName: "Ada" }))
      const refused = await send([...people, { email: freshEmail() }])
      expect(refused.status).toBe(400)
      expect(refused.codes).toEqual(["audience.batch_too_large"])
      expect(refused.fields).toEqual(["contacts"])
      expect(refused.envelope?.errors[0]?.params).toEqual({ max: 1000 })
      expect((await account.api("GET", `/contacts/email:${people[0]!.email}`)).status).toBe(404)
      const first = await written(people)
      expect(first).toMatchObject({ created: 1000, updated: 0, failed: 0 })
      expect(first.results.map((result) => result.index)).toEqual(times(1000, (index) => index))
      const second = await written(people.toReversed())
      expect(second).toMatchObject({ created: 0, updated: 1000, failed: 0 })
      expect(second.results.map((result) => result.id)).toEqual(
        first.results.map((result) => result.id).toReversed()
      )
    })

    it("accepts a body of more than 10 MB, and rejects one of more than 32 MB", async () => {
      const padded = (megabytes: number) =>
        call(target(), "POST", "/api/v1/contacts/batch", {
          token: account.key,
          body: `{"contacts":[]${" ".repeat(megabytes * 1024 * 1024)}}`
        })
      expect((await padded(12)).status).toBe(200)
      expect((await padded(32)).status).toBe(413)
    })

    it("changes nothing when a batch is repeated", async () => {
      await account.manage("PATCH", "/settings", { autoCreateAttributes: true })
      await account.manage("POST", "/topics", { key: "news", name: "News" })
      const proof = { text: "Yes.", givenAt: "2024-05-01T10:00:00Z" }
      const people = times(20, (index) => ({
        email: freshEmail(),
        externalId: `twice-${serial}`,
        attributes: { twice: index, [`twice_${index % 3}`]: "x" },
        topics: { news: index % 2 === 0 },
        consent: { basis: "Subscribed", proof }
      }))
      const first = await written(people)
      expect(first).toMatchObject({ created: 20, failed: 0 })
      const before = await Promise.all(first.results.map((result) => read(result.id!)))
      expect(await written(people)).toMatchObject({ updated: 20, failed: 0 })
      expect(await Promise.all(first.results.map((result) => read(result.id!)))).toEqual(before)
      const history = await account.manage<Page<ConsentEntry>>(
        "GET",
        `/contacts/${first.results[0]!.id}/consent-history`
      )
      expect(history.value.totalCount).toBe(1)
      await account.manage("PATCH", "/settings", { autoCreateAttributes: false })
    })

    it("adds no history when a batch that changes one person's consent back and forth is repeated", async () => {
      const email = freshEmail()
      const steps = [
        { email, consent: { basis: "Subscribed", proof: { text: "Yes." } } },
        { email, consent: { basis: "Unsubscribed" } }
      ]
      const { results } = await written(steps)
      const { id } = results[0]!
      const before = await read(id!)
      expect(before.consentStatus).toBe("Unsubscribed")
      const entries = async (list: string) =>
        (await account.manage<Page<unknown>>("GET", `/contacts/${id}/${list}`)).value.totalCount
      expect([await entries("consent-history"), await entries("timeline")]).toEqual([2, 1])
      expect(await written(steps)).toMatchObject({ updated: 2, failed: 0 })
      expect(await read(id!)).toEqual(before)
      expect([await entries("consent-history"), await entries("timeline")]).toEqual([2, 1])
      // A different proof is recorded.
      await written([{ email, consent: { basis: "Subscribed", proof: { text: "Yes again." } } }, steps[1]])
      expect(await entries("consent-history")).toBe(4)
    })

    it("derives a field's type from the first value of the batch", async () => {
      const { live } = await openWorkspace(target(), "Typed batches")
      await live.manage("PATCH", "/settings", { autoCreateAttributes: true })
      const people = [
        { email: "nobody", attributes: { score: "text" } },
        { email: freshEmail(), attributes: { score: 1, ["Bad key"]: 1 } },
        { email: freshEmail(), attributes: { score: null } },
        { email: freshEmail(), attributes: { score: 2 } },
        { email: freshEmail(), attributes: { score: "three" } },
        { email: freshEmail(), attributes: { score: 4 } }
      ]
      const answer = await live.api<BatchWritten>("POST", "/contacts/batch", { contacts: people })
      expect(answer.value.results.map((result) => result.errors?.[0]?.code ?? result.status)).toEqual([
        "validation.email",
        "audience.attribute_key_invalid",
        "Created",
        "Created",
        "audience.attribute_type_mismatch",
        "Created"
      ])
      const fields = await live.api<ReadonlyArray<object>>("GET", "/contact-attributes")
      expect(fields.value).toMatchObject([{ key: "score", type: "Number", createdFrom: "Api" }])
    })

    it("rejects new contacts beyond the account's contact limit", async () => {
      const { live } = await openWorkspace(target(), "Full batches")
      await live.manage("PATCH", "/settings", { contactLimit: 3 })
      const people = times(5, () => ({ email: freshEmail() }))
      const { value } = await live.api<BatchWritten>("POST", "/contacts/batch", { contacts: people })
      expect(value.results.map((result) => result.status)).toEqual([
        "Created",
        "Created",
        "Created",
        "Failed",
        "Failed"
      ])
      expect(value.results[4]!.errors).toEqual([
        { code: "audience.contact_limit_reached", field: null, params: { max: 3 } }
      ])
    })

    it("loses no write of overlapping concurrent batches, whatever their order", async () => {
      const { live } = await openWorkspace(target(), "Overlapping batches")
      await live.manage("PATCH", "/settings", { autoCreateAttributes: true })
      const rounds = 4
      const people = times(200, (index) => `overlap${index}@batch.example`)
      const batches = times(rounds, (round) => {
        const contacts = people.map((email) => ({
          email,
          attributes: { [`round_${round}`]: round, shared: round }
        }))
        return round % 2 === 0 ? contacts : contacts.toReversed()
      })
      for (const pass of ["insert", "update"]) {
        const answers = await Promise.all(
          batches.map((contacts) => live.api<BatchWritten>("POST", "/contacts/batch", { contacts }))
        )
        expect(answers.map((answer) => [pass, answer.status, answer.value.failed])).toEqual(
          times(rounds, () => [pass, 200, 0])
        )
        const created = answers.reduce((sum, answer) => sum + answer.value.created, 0)
        expect(created).toBe(pass === "insert" ? people.length : 0)
      }
      for (const email of [people[0]!, people[100]!, people[199]!]) {
        const { value } = await live.api<Contact>("GET", `/contacts/email:${email}`)
        expect(value["attributes"]).toMatchObject({ round_0: 0, round_1: 1, round_2: 2, round_3: 3 })
      }
    })

    it("counts once for the rate limit", async () => {
      const before = Number((await send([])).headers.get("ratelimit-remaining"))
      const after = await send(times(50, () => ({ email: freshEmail() })))
      const window = Number(after.headers.get("ratelimit-limit"))
      const remaining = Number(after.headers.get("ratelimit-remaining"))
      // A new minute may have begun in the meantime.
      expect([before - 1, window - 1]).toContain(remaining)
    })
  })
