/**
 * Tests imports of contacts from CSV files (docs/contributing/management-api.md, docs/contributing/decisions.md 3).
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import {
  type ConsentEntry,
  type Contact,
  dateTimePattern,
  idPattern,
  type Page
} from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

interface Import {
  readonly id: string
  readonly name: string | null
  readonly status: string
  readonly mapping: Readonly<Record<string, string>>
  readonly delimiter: string
  readonly size: number
  readonly processed: number
  readonly rows: {
    readonly read: number
    readonly created: number
    readonly updated: number
    readonly failed: number
  }
  readonly failure: { readonly code: string; readonly message: string; readonly line: number | null } | null
  readonly createdAt: string
  readonly finishedAt: string | null
}

type Query = Readonly<Record<string, unknown>>

const isOver = (status: string) => ["Completed", "Failed", "Cancelled"].includes(status)

let people = 0

/** A unique address. */
const address = (name: string) => `${name}${people++}@import.example`

export const importsSuite = (target: () => Target) =>
  describe("imports", () => {
    let account: TestAccount
    beforeAll(async () => {
      account = (await openWorkspace(target(), "Imports")).live
    })

    const send = (file: string | Uint8Array<ArrayBuffer>, query: Query = {}, contentType = "text/csv") => {
      const search = new URLSearchParams(
        Object.entries(query).map(([name, value]): [string, string] => [
          name,
          typeof value === "string" ? value : JSON.stringify(value)
        ])
      )
      return call<Import>(target(), "POST", `/manage/v1/accounts/${account.accountId}/imports?${search}`, {
        token: target().managementToken,
        body: file,
        headers: { "content-type": contentType }
      })
    }

    const done = (id: string) =>
      eventually(
        async () => (await account.manage<Import>("GET", `/imports/${id}`)).value,
        ({ status }) => isOver(status)
      )

    const importFile = async (file: string | Uint8Array<ArrayBuffer>, query: Query = {}) =>
      done((await send(file, query)).value.id)

    const contact = async (email: string) =>
      (await account.api<Contact>("GET", `/contacts/${encodeURIComponent(`email:${email}`)}`)).value

    const errorsOf = async (id: string) => (await account.manage("GET", `/imports/${id}/errors`)).text

    it("accept a file whose headers are field names, and respond before it is processed", async () => {
      const [ada, bob] = [address("ada"), address("bob")]
      const file = `email,firstName,city\n${ada},Ada,London\n"${bob.toUpperCase()}","Bob, ""the builder""",\n`
      const answer = await send(file, { name: " Spring " })
      expect(answer.status).toBe(202)
      const { id } = answer.value
      expect(id).toMatch(idPattern)
      expect(answer.value).toMatchObject({ name: "Spring", delimiter: ",", size: file.length, failure: null })
      expect(answer.value.createdAt).toMatch(dateTimePattern)
      const over = await done(id)
      expect(over).toMatchObject({
        id,
        status: "Completed",
        processed: file.length,
        rows: { read: 2, created: 2, updated: 0, failed: 0 }
      })
      expect(over.finishedAt).toMatch(dateTimePattern)
      expect(await contact(ada)).toMatchObject({ firstName: "Ada", city: "London", consentStatus: "Unknown" })
      expect(await contact(bob)).toMatchObject({ firstName: `Bob, "the builder"`, city: null })
      const list = (await account.manage<Page<Import>>("GET", "/imports")).value
      expect(list.items.find((entry) => entry.id === id)).toEqual(over)
    })

    it("try a file and write nothing", async () => {
      const { sandbox } = await openWorkspace(target(), "Tried")
      const upload = async (file: string, query: string) => {
        const path = `/manage/v1/accounts/${sandbox.accountId}/imports?${query}`
        return call<Import & { dryRun: boolean }>(target(), "POST", path, {
          token: target().managementToken,
          body: file,
          headers: { "content-type": "text/csv" }
        })
      }
      const over = async (id: string) =>
        eventually(
          async () => (await sandbox.manage<Import>("GET", `/imports/${id}`)).value,
          ({ status }) => isOver(status)
        )
      const known = address("known")
      await sandbox.api("POST", "/contacts", { email: known, firstName: "Ada" })
      await sandbox.manage("PATCH", "/settings", { autoCreateAttributes: true })
      const many = Array.from({ length: 600 }, (_, index) => `many${index}@tried.example,Many,x`)
      const file = [
        "email,firstName,attributes.plan",
        `${known},Bob,pro`,
        ...many,
        "no-address,No,x",
        ""
      ].join("\n")
      const started = await upload(file, "dryRun=true")
      expect([started.status, started.value.dryRun]).toEqual([202, true])
      const tried = await over(started.value.id)
      const counts = { read: 602, created: 600, updated: 1, failed: 1 }
      expect(tried).toMatchObject({ status: "Completed", dryRun: true, rows: counts, processed: file.length })
      const errors = (await sandbox.manage("GET", `/imports/${started.value.id}/errors`)).text
      expect(errors).toContain("no-address")
      const left = (await sandbox.api<Page<Contact>>("GET", "/contacts")).value
      expect([left.totalCount, left.items[0]!.firstName]).toEqual([1, "Ada"])
      expect((await sandbox.manage<ReadonlyArray<object>>("GET", "/contact-attributes")).value).toEqual([])
      const written = await over((await upload(file, "dryRun=false")).value.id)
      expect(written).toMatchObject({ dryRun: false, rows: counts })
      expect((await sandbox.api<Page<Contact>>("GET", "/contacts")).value.totalCount).toBe(601)
      const wrong = await upload(file, "dryRun=maybe")
      expect([wrong.status, wrong.fields]).toEqual([400, ["dryRun"]])
    })

    it("take the file of errors again as it is, with what protects spreadsheets taken off", async () => {
      const { live } = await openWorkspace(target(), "Errors again")
      const upload = async (file: string) => {
        const search = new URLSearchParams({
          mapping: JSON.stringify({ mail: "email", "=phone": "phone", note: "firstName" })
        })
        const path = `/manage/v1/accounts/${live.accountId}/imports?${search}`
        const { id } = (
          await call<Import>(target(), "POST", path, {
            token: target().managementToken,
            body: file,
            headers: { "content-type": "text/csv" }
          })
        ).value
        return eventually(
          async () => (await live.manage<Import>("GET", `/imports/${id}`)).value,
          ({ status }) => isOver(status)
        )
      }
      const liveErrors = async (id: string) => (await live.manage("GET", `/imports/${id}/errors`)).text
      await live.api("POST", "/contacts", { email: address("first") })
      await live.manage("PATCH", "/settings", { contactLimit: 1 })
      const [ada, bob] = [address("ada"), address("bob")]
      const file = `mail,=phone,note\n${ada},+49 30 123456,'=sum\n${bob},-1,=sum\n`
      const first = await upload(file)
      expect(first.rows).toMatchObject({ read: 2, failed: 2 })
      const report = await liveErrors(first.id)
      expect(report.split("\r\n")[0]).toBe("line,codes,mail,'=phone,note")
      expect(report).toContain(`${ada},'+49 30 123456,''=sum`)
      const again = await upload(report)
      expect(again.rows).toMatchObject({ read: 2, failed: 2 })
      expect(await liveErrors(again.id)).toBe(report)
      await live.manage("PATCH", "/settings", { contactLimit: null })
      expect((await upload(await liveErrors(again.id))).rows).toMatchObject({ read: 2, created: 2 })
      const read = async (email: string) =>
        (await live.api<Contact>("GET", `/contacts/${encodeURIComponent(`email:${email}`)}`)).value
      expect(await read(ada)).toMatchObject({ phone: "+49 30 123456", firstName: "'=sum" })
      expect(await read(bob)).toMatchObject({ phone: "-1", firstName: "=sum" })
    })

    it("map columns, update existing people, and keep values where a cell is empty", async () => {
      const ada = address("ada")
      await account.api("POST", "/contacts", { email: ada, firstName: "Ada", phone: "1" })
      const file = `E-Mail;Vorname;Telefon;Notiz\r\n${ada};;2;secret\r\n`
      const over = await importFile(file, {
        mapping: { "E-Mail": "email", Vorname: "firstName", Telefon: "phone", Notiz: "ignored" }
      })
      expect(over).toMatchObject({ delimiter: ";", rows: { read: 1, created: 0, updated: 1, failed: 0 } })
      expect(await contact(ada)).toMatchObject({ firstName: "Ada", phone: "2" })
    })

    it("read a BOM, tabs, line breaks within quotes and a last row without a line end", async () => {
      const [ada, bob] = [address("ada"), address("bob")]
      const file = `\ufeffemail\tcity\r\n\r\n${ada}\t"New\r\nYork"\r\n\t\r\n${bob}\tZürich`
      const over = await importFile(new TextEncoder().encode(file))
      expect(over).toMatchObject({ delimiter: "\t", rows: { read: 2, created: 2 } })
      expect((await contact(ada)).city).toMatch(/^New\s+York$/)
      expect((await contact(bob)).city).toBe("Zürich")
    })

    it("reject rows one by one, and report them with their lines", async () => {
      const [ada, eve] = [address("ada"), address("eve")]
      const file = [
        "email,countryCode,city",
        `${ada},DE,"two`,
        `lines"`,
        "noaddress,DE,Bonn",
        `short,DE`,
        "",
        `a@b.example,DE,x,y`,
        `,DE,"=1+""1"""`,
        `${eve},XYZ,Bonn`
      ].join("\n")
      const over = await importFile(file)
      expect(over).toMatchObject({
        status: "Completed",
        rows: { read: 6, created: 1, updated: 0, failed: 5 }
      })
      expect((await errorsOf(over.id)).split("\r\n")).toEqual([
        "line,codes,email,countryCode,city",
        "4,email: validation.email,noaddress,DE,Bonn",
        "5,audience.import_row_columns,short,DE",
        "7,audience.import_row_columns,a@b.example,DE,x,y",
        // The cell is marked as text, so that a spreadsheet does not evaluate it.
        `8,email: audience.contact_email_required,,DE,"'=1+""1"""`,
        `9,countryCode: validation.format,${eve},XYZ,Bonn`,
        ""
      ])
    })

    it("set consent for all rows, and columns set it for one", async () => {
      const [ada, bob, eve] = [address("ada"), address("bob"), address("eve")]
      const file = `email,basis,words,when\n${ada},,,\n${bob},Unsubscribed,,\n${eve},,Yes please,2024-02-03T04:05:06Z\n`
      const over = await importFile(file, {
        mapping: {
          email: "email",
          basis: "consent.basis",
          words: "consent.proof.text",
          when: "consent.proof.givenAt"
        },
        consent: { basis: "Subscribed", proof: { text: "I want news" } }
      })
      expect(over.rows).toEqual({ read: 3, created: 3, updated: 0, failed: 0 })
      const { consentSource, consentStatus, id } = await contact(ada)
      expect([consentStatus, consentSource]).toEqual(["Subscribed", "Import"])
      expect((await contact(bob)).consentStatus).toBe("Unsubscribed")
      const history = async (of: string) =>
        (await account.manage<Page<ConsentEntry>>("GET", `/contacts/${of}/consent-history`)).value.items
      expect(await history(id)).toMatchObject([
        { to: "Subscribed", source: "Import", proof: { text: "I want news" } }
      ])
      expect(await history((await contact(eve)).id)).toMatchObject([
        { proof: { text: "Yes please", givenAt: "2024-02-03T04:05:06.000Z" } }
      ])
    })

    it("write attributes by the fields' types, and create fields", async () => {
      await account.manage("PATCH", "/settings", { autoCreateAttributes: true })
      await account.api("POST", "/contact-attributes", { key: "score", label: "Score", type: "Number" })
      await account.api("POST", "/contact-attributes", { key: "vip", label: "VIP", type: "Boolean" })
      await account.api("POST", "/contact-attributes", { key: "likes", label: "Likes", type: "TextList" })
      const [ada, bob] = [address("ada"), address("bob")]
      const file = `email,attributes.score,attributes.vip,attributes.likes,attributes.shoe_size\n${ada},-1.5,YES,a|b;c,42\n${bob},high,,,43\n`
      const over = await importFile(file)
      expect(over.rows).toMatchObject({ read: 2, created: 1, failed: 1 })
      expect((await contact(ada))["attributes"]).toEqual({
        score: -1.5,
        vip: true,
        likes: ["a", "b;c"],
        shoe_size: "42"
      })
      expect(await errorsOf(over.id)).toContain("attributes.score: audience.attribute_type_mismatch")
      const fields = (
        await account.api<ReadonlyArray<{ readonly key: string; readonly createdFrom: string }>>(
          "GET",
          "/contact-attributes"
        )
      ).value
      expect(fields.find(({ key }) => key === "shoe_size")).toMatchObject({ createdFrom: "Csv" })
      expect(fields.find(({ key }) => key === "score")).toMatchObject({ createdFrom: "Api" })
    })

    it("turn topics on and off", async () => {
      await account.manage("POST", "/topics", { key: "news", name: "News" })
      const [ada, bob] = [address("ada"), address("bob")]
      const over = await importFile(`email,topics.news\n${ada},off\n${bob},perhaps\n`)
      expect(over.rows).toMatchObject({ created: 1, failed: 1 })
      expect(await errorsOf(over.id)).toContain("topics.news: validation.type")
    })

    it("do not restore an erased person, unless the customer's own systems did", async () => {
      const [ada, bob] = [address("ada"), address("bob")]
      for (const email of [ada, bob]) {
        await account.api("POST", "/contacts", { email })
        await account.api("DELETE", `/contacts/${encodeURIComponent(`email:${email}`)}`)
      }
      await account.api("POST", "/contacts", { email: bob })
      const over = await importFile(`email,firstName\n ${ada.toUpperCase()} ,Ada\n${bob},Bob\n`)
      expect(over.rows).toEqual({ read: 2, created: 0, updated: 1, failed: 1 })
      expect(await errorsOf(over.id)).toBe(
        "line,codes,email,firstName\r\n2,email: audience.contact_erased\r\n"
      )
      expect((await account.api("GET", `/contacts/${encodeURIComponent(`email:${ada}`)}`)).status).toBe(404)
      expect((await contact(bob)).firstName).toBe("Bob")
    })

    it("do not restore an erased person by an address that an earlier row takes from a contact", async () => {
      const [ada, later] = [address("ada"), address("later")]
      await account.api("POST", "/contacts", { email: ada })
      await account.api("DELETE", `/contacts/${encodeURIComponent(`email:${ada}`)}`)
      await account.api("POST", "/contacts", { email: ada, externalId: later })
      const over = await importFile(`externalId,email\n${later},${later}\n,${ada}\n${later},${ada}\n`)
      expect([over.status, over.rows]).toEqual(["Completed", { read: 3, created: 0, updated: 1, failed: 2 }])
      expect((await contact(later)).email).toBe(later)
    })

    it("do not restore people erased while they run", async () => {
      const [known, unknown] = [address("known"), address("unknown")]
      const erased = Array.from({ length: 20 }, () => address("racer"))
      for (const email of erased) await account.api("POST", "/contacts", { email, firstName: "Before" })
      const others = Array.from({ length: 1_500 }, () => address("other"))
      // An invalid country code rejects half of the rows, which are listed in the report.
      const lines = [...others.slice(0, 700), ...erased, ...others.slice(700), ...erased, known, unknown].map(
        (email, index) => `${email},Racer,${index % 2 === 0 ? "DE" : "XYZ"}`
      )
      const started = send(`email,firstName,countryCode\n${lines.join("\n")}\n`)
      const erasures = erased.map((email) =>
        account.api("DELETE", `/contacts/${encodeURIComponent(`email:${email}`)}`)
      )
      expect(new Set((await Promise.all(erasures)).map(({ status }) => status))).toEqual(new Set([200]))
      const over = await done((await started).value.id)
      expect(over).toMatchObject({ status: "Completed", rows: { read: lines.length } })
      const errors = await errorsOf(over.id)
      for (const email of erased) {
        expect((await account.api("GET", `/contacts/${encodeURIComponent(`email:${email}`)}`)).status).toBe(
          404
        )
        expect(errors).not.toContain(email)
      }
    })

    it("have an erased person removed from their reports", async () => {
      const ada = address("ada")
      await account.api("POST", "/contacts", { email: ada })
      const { id } = await importFile(`email,firstName,countryCode\n${ada},Augusta,XYZ\n`)
      expect(await errorsOf(id)).toContain("Augusta")
      await account.api("DELETE", `/contacts/${encodeURIComponent(`email:${ada}`)}`)
      expect(await errorsOf(id)).toBe(
        "line,codes,email,firstName,countryCode\r\n2,countryCode: validation.format\r\n"
      )
    })

    it("apply thousands of rows in order", async () => {
      const domain = `${people++}.import.example`
      const count = 2_500
      const rows = Array.from({ length: count }, (_, index) => `p${index % 2_000}@${domain},${index}`)
      const over = await importFile(`email,firstName\n${rows.join("\n")}`)
      expect(over.rows).toEqual({ read: count, created: 2_000, updated: 500, failed: 0 })
      expect((await contact(`p0@${domain}`)).firstName).toBe("2000")
      expect((await contact(`p1999@${domain}`)).firstName).toBe("1999")
    })

    it("accept a file larger than any other body", async () => {
      const email = address("large")
      const padding = `${"x".repeat(1_000)}@import.example,1\n`.repeat(12_000)
      const file = `email,firstName\n${email},First\n"${padding.slice(0, 400_000)}",2\n`
      const over = await importFile(file + `${email},Last\n`)
      expect(over.rows).toEqual({ read: 3, created: 1, updated: 1, failed: 1 })
      expect((await contact(email)).firstName).toBe("Last")
      const large = await send("email\n" + `${email}\n`.repeat(Math.ceil(12_000_000 / (email.length + 1))))
      expect(large.status).toBe(202)
      expect((await account.manage<Import>("DELETE", `/imports/${large.value.id}`)).value.status).toBe(
        "Cancelled"
      )
    })

    it("read the shortest rows, however many a chunk has", async () => {
      const { id } = (await send("email\n" + "x\n".repeat(140_000))).value
      const begun = await eventually(
        async () => (await account.manage<Import>("GET", `/imports/${id}`)).value,
        ({ rows, status }) => rows.read > 0 || isOver(status)
      )
      expect(begun.rows.failed).toBeGreaterThan(0)
      expect(begun.failure).toBeNull()
      await account.manage("DELETE", `/imports/${id}`)
    })

    it("end where a quote is not closed, with the rows before it written", async () => {
      const ada = address("ada")
      const over = await importFile(
        `email,city\n${ada},Bonn\nx@import.example,"Bonn\ny@import.example,Bonn\n`
      )
      expect(over).toMatchObject({
        status: "Failed",
        rows: { read: 1, created: 1 },
        failure: { code: "audience.import_quote_not_closed", line: 3 }
      })
      expect((await contact(ada)).city).toBe("Bonn")
    })

    it.each<
      [what: string, file: string | Uint8Array<ArrayBuffer>, query: Query, code: string, fields: string]
    >([
      ["an empty file", "", {}, "audience.import_header_invalid", ""],
      ["a file of empty lines", "\n\n", {}, "audience.import_header_invalid", ""],
      [
        "bytes that are not UTF-8",
        Uint8Array.from([101, 10, 0xff, 10]),
        {},
        "audience.import_encoding_invalid",
        ""
      ],
      [
        "a character cut off at the end",
        Uint8Array.from([101, 10, 0xc3]),
        {},
        "audience.import_encoding_invalid",
        ""
      ],
      ["a header that is no field", "email,Plan\n", {}, "audience.import_mapping_invalid", "mapping.Plan"],
      [
        "a target that is none",
        "a\n",
        { mapping: { a: "name" } },
        "audience.import_mapping_invalid",
        "mapping.a"
      ],
      ["a missing column", "a\n", { mapping: { b: "email" } }, "audience.import_column_unknown", "mapping.b"],
      [
        "a duplicate column",
        "a,a\n",
        { mapping: { a: "email" } },
        "audience.import_column_duplicate",
        "mapping.a"
      ],
      [
        "two columns for one field",
        "a,b\n",
        { mapping: { a: "email", b: "email" } },
        "audience.import_target_duplicate",
        "mapping.b"
      ],
      [
        "nothing that identifies",
        "a\n",
        { mapping: { a: "city" } },
        "audience.import_identity_required",
        "mapping"
      ],
      ["an unknown topic", "email,topics.nothing\n", {}, "topics.not_found", "mapping.topics.nothing"],
      [
        "a built-in as attribute",
        "email,attributes.email\n",
        {},
        "audience.attribute_reserved",
        "mapping.attributes.email"
      ],
      ["a mapping that is no JSON", "email\n", { mapping: "email" }, "validation.format", "mapping"],
      ["a mapping of numbers", "email\n", { mapping: { email: 1 } }, "validation.type", "mapping"],
      [
        "consent without proof",
        "email\n",
        { consent: { basis: "Subscribed" } },
        "audience.consent_proof_required",
        "consent.proof.text"
      ],
      [
        "an unknown basis",
        "email\n",
        { consent: { basis: "Perhaps" } },
        "validation.format",
        "consent.basis"
      ],
      ["a strange delimiter", "email\n", { delimiter: "x" }, "validation.format", "delimiter"],
      ["a name too long", "email\n", { name: "x".repeat(201) }, "validation.max_length", "name"]
    ])("reject %s", async (_, file, query, code, fields) => {
      const before = (await account.manage<Page<Import>>("GET", "/imports")).value.totalCount
      const answer = await send(file, query)
      expect([answer.status, answer.codes, answer.fields.join()]).toEqual([400, [code], fields])
      expect((await account.manage<Page<Import>>("GET", "/imports")).value.totalCount).toBe(before)
    })

    it("reject forms, unknown fields where they are not created, and unknown accounts", async () => {
      expect((await send("email\n", {}, "multipart/form-data; boundary=x")).status).toBe(415)
      await account.manage("PATCH", "/settings", { autoCreateAttributes: false })
      const unknown = await send("email,attributes.none\n")
      expect([unknown.codes, unknown.fields]).toEqual([
        ["audience.attribute_unknown"],
        ["mapping.attributes.none"]
      ])
      const path = `/manage/v1/accounts/${account.accountId}/imports`
      expect((await call(target(), "POST", path, { body: "email\n" })).status).toBe(401)
      expect((await call(target(), "POST", path, { body: "email\n", token: account.key })).status).toBe(401)
    })

    it("keep nothing of an incomplete file", async () => {
      const before = (await account.manage<Page<Import>>("GET", "/imports")).value.totalCount
      let sent = 0
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          if (sent++ < 10) controller.enqueue(new TextEncoder().encode("email\n".repeat(20_000)))
          else controller.error(new Error("gone"))
        }
      })
      const path = `/manage/v1/accounts/${account.accountId}/imports`
      const init = {
        method: "POST",
        headers: { authorization: `Bearer ${target().managementToken}`, "content-type": "text/csv" },
        body,
        duplex: "half"
      }
      const status = await target()
        .fetch(path, init as RequestInit)
        .then(
          (response) => response.status,
          () => null
        )
      expect([null, 503]).toContain(status)
      const count = async () => (await account.manage<Page<Import>>("GET", "/imports")).value.totalCount
      expect(await eventually(count, (found) => found === before)).toBe(before)
    })

    it("keep an error report for 30 days, and the import indefinitely", async ({ skip }) => {
      const { advance } = target()
      if (advance === null) return skip("the clock is the machine's")
      const { id } = await importFile("email\nnoaddress\n")
      expect(await errorsOf(id)).toBe("line,codes,email\r\n2,email: validation.email,noaddress\r\n")
      await advance("31 days")
      expect(await errorsOf(id)).toBe("line,codes,email\r\n")
      expect((await account.manage<Import>("GET", `/imports/${id}`)).value.rows.failed).toBe(1)
    })

    it("can be cancelled once, and return 404 for an unknown import", async () => {
      const { id } = await importFile(`email\n${address("ada")}\n`)
      const again = await account.manage("DELETE", `/imports/${id}`)
      expect([again.status, again.codes]).toEqual([409, ["audience.import_finished"]])
      const unknown = "/imports/01990000-0000-7000-8000-000000000000"
      expect((await account.manage("GET", unknown)).status).toBe(404)
      expect((await account.manage("GET", `${unknown}/errors`)).status).toBe(404)
      expect((await account.manage("DELETE", unknown)).status).toBe(404)
    })

    it("are recorded in the audit log, without the people", async () => {
      const ada = address("ada")
      const { id } = await importFile(`email\n${ada}\n`, { name: "Audited" })
      const { items } = (
        await account.manage<
          Page<{ readonly action: string; readonly target: { readonly id: string }; readonly after: unknown }>
        >("GET", "/audit-log")
      ).value
      expect(items.find((entry) => entry.target.id === id)).toMatchObject({
        action: "import.started",
        after: { name: "Audited", mapping: { email: "email" } }
      })
      expect(JSON.stringify(items)).not.toContain(ada)
    })
  })
