/**
 * Tests that no column of any table contains an erased person's address or name. All columns are searched, including those of new
 * tables.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { describe, expect, it } from "vitest"
import { call, eventually } from "../../support/client.ts"
import { freshDatabase } from "../../support/postgres.ts"
import { startReceiver } from "../../support/receiver.ts"
import type { EmailAccepted, EmailSubmission } from "../../support/shapes.ts"
import { startEmbedded, type Target } from "../../support/targets.ts"
import { openWorkspace, type TestAccount } from "../../support/workspace.ts"

/** The marker in every address, name and text of the person. */
const marker = "findme"

type Row = Readonly<Record<string, unknown>>

type Query = (text: string) => Promise<ReadonlyArray<Row>>

/** The columns of all tables that contain the marker. */
const placesOf = async (query: Query): Promise<ReadonlyArray<string>> => {
  const columns = await query(
    `select c.table_name as "table", c.column_name as "column", c.data_type as type
    from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE'`
  )
  expect(columns.length).toBeGreaterThan(100)
  const searches = columns.map(({ column, table, type }) => {
    const text = type === "bytea" ? `encode("${String(column)}", 'escape')` : `"${String(column)}"::text`
    return `select '${String(table)}.${String(column)}' as place from "${String(table)}"
      where ${text} ilike '%${marker}%'`
  })
  return (await query(searches.join(" union "))).map((row) => String(row["place"])).toSorted()
}

/** Imports a file and waits until it is done. */
const importFile = async (
  target: Target,
  account: TestAccount,
  csv: string,
  options: Readonly<Record<string, string>> = {}
) => {
  const path = `/manage/v1/accounts/${account.accountId}/imports?${new URLSearchParams(options)}`
  const started = await call<{ id: string }>(target, "POST", path, {
    token: target.managementToken,
    body: csv,
    headers: { "content-type": "text/csv" }
  })
  return eventually(
    () => account.manage<{ status: string; rows: unknown }>("GET", `/imports/${started.value.id}`),
    ({ value }) => value.status === "Completed"
  )
}

/** Leaves data about people everywhere the API can leave them. */
const leaveTraces = async (target: Target, account: TestAccount, email: string, hook: string) => {
  const person = {
    email,
    externalId: `${marker}-${email}`,
    firstName: marker,
    lastName: marker,
    phone: marker,
    city: marker,
    attributes: { nickname: marker, nicknames: [marker] },
    consent: { basis: "Subscribed", proof: { text: `I, ${marker}, want news.`, textVersion: marker } }
  }
  const written = await account.api<{ contact: { id: string } }>("POST", "/contacts", person)
  expect(written.codes).toEqual([])
  const sent = await account.api<EmailAccepted>("POST", "/sending/emails", {
    to: `${marker} <${email}>`,
    subject: `Hello ${marker}`,
    html: `<p>${marker}</p>`,
    text: marker,
    tags: { name: marker },
    metadata: { name: marker },
    headers: { "X-Name": marker },
    attachments: [{ filename: `${marker}.txt`, contentType: "text/plain", content: btoa(marker) }],
    idempotencyKey: `welcome-${email}`
  })
  expect(sent.codes).toEqual([])
  await eventually(
    () => account.api<EmailSubmission>("GET", `/sending/emails/${sent.value.id}`),
    ({ value }) => value.status !== "Queued" || value.reason === "sending.no_verified_sender"
  )
  const csv = `email,country,name\n${email},nowhere,${marker}\n`
  const mapping = JSON.stringify({ email: "email", country: "countryCode", name: "firstName" })
  const finished = await importFile(target, account, csv, { mapping })
  expect(finished.value).toMatchObject({ status: "Completed", rows: { failed: 1 } })
  const event = (name: string, contact: object) => ({
    id: `${name}-${email}`,
    name,
    contact,
    properties: { [marker]: marker }
  })
  const flow = await account.manage<{ id: string }>("POST", "/flows", {
    name: "Traces",
    trigger: { kind: "Event", name: "user.moved" },
    steps: [
      { id: "hook", kind: "Webhook", url: hook },
      { id: "rest", kind: "Wait", duration: "P1D" }
    ]
  })
  await account.manage("POST", `/flows/${flow.value.id}/publish`)
  await account.api("POST", "/events", {
    events: [
      event("user.moved", { email, firstName: marker }),
      event("user.failed", { email, consent: { basis: "Subscribed" } })
    ]
  })
  await eventually(
    () => account.manage<{ totalCount: number }>("GET", "/events?status=Accepted"),
    ({ value }) => value.totalCount === 0
  )
  const { id } = written.value.contact
  // Email to an earlier address of the person also counts as the person's.
  const moved = await account.api("POST", "/contacts", { id, email: `new-${email}` })
  expect(moved.codes).toEqual([])
  return id
}

describe("erased data", () => {
  it("is in no table, neither the address, the name nor what was sent", { timeout: 240_000 }, async () => {
    const url = await freshDatabase()
    const target = await startEmbedded({ store: { url } })
    const search: Query = (text) =>
      Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Row>(text)).pipe(
        Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })),
        Effect.runPromise
      )
    const { live, sandbox } = await openWorkspace(target, "Traces")
    // A server that rejects the command, and repeats it in its reply.
    const receiver = await startReceiver()
    receiver.answer("/", (response, { body }) => response.writeHead(500).end(body))
    const webhook = { url: `${receiver.url}/`, events: [] }
    receiver.answer("/flow", 500)
    const { id: webhookId } = (await sandbox.manage<{ id: string }>("POST", "/webhooks", webhook)).value
    const people: Array<readonly [TestAccount, string, string]> = []
    for (const account of [sandbox, live]) {
      await account.manage("PATCH", "/settings", { autoCreateAttributes: true })
      for (const local of [marker, "bounce", "complaint"]) {
        const email = `${local}@${marker}.example`
        people.push([account, await leaveTraces(target, account, email, `${receiver.url}/flow`), email])
      }
      await account.manage("POST", "/suppressions", {
        email: `${marker}@${marker}.example`,
        kind: "Protected"
      })
    }
    const log = `/webhooks/${webhookId}/deliveries`
    await eventually(
      () => sandbox.manage<{ items: ReadonlyArray<{ attempt: number }> }>("GET", log),
      ({ value }) => value.items.length === 6 && value.items.every(({ attempt }) => attempt === 1)
    )
    // Otherwise the search would prove nothing.
    expect(await placesOf(search)).toEqual(
      expect.arrayContaining([
        "attachments.filename",
        "consents.proof",
        "contacts.attributes",
        "contacts.email",
        "contents.content",
        "deliveries.email",
        "events.event_id",
        "failed_events.email",
        "flow_runs.event",
        "import_errors.email",
        "inbox_messages.recipient",
        "jobs.payload",
        "notifications.body",
        "submissions.idempotency_key",
        "suppressions.email",
        "timeline.properties",
        "webhook_attempts.answer"
      ])
    )

    for (const [account, id] of people) {
      expect((await account.api("DELETE", `/contacts/${id}`)).status).toBe(200)
    }
    expect(await placesOf(search)).toEqual([])
    const [left] = await search(
      `select
        (select count(*)::int from contacts where erased_at is not null and address_hash is not null) as contacts,
        (select count(*)::int from timeline) as timeline,
        (select count(*)::int from events) as events,
        (select count(*)::int from consents) as consents,
        (select count(*)::int from submissions) as submissions,
        (select count(*)::int from deliveries) as deliveries,
        (select count(*)::int from flow_runs) as runs,
        (select count(*)::int from jobs where queue in ('deliveries', 'runs', 'calls')) as jobs`
    )
    expect(left).toEqual({
      contacts: 6,
      timeline: 0,
      events: 0,
      consents: 0,
      submissions: 0,
      deliveries: 0,
      runs: 0,
      jobs: 0
    })
    // An import does not restore the person, nor by the earlier address.
    const [account, , earlier] = people[0]!
    const csv = `email\n${earlier}\nnew-${earlier}\n`
    const finished = await importFile(target, account, csv)
    expect(finished.value.rows).toMatchObject({ created: 0, failed: 2 })
    await receiver.stop()
    await target.stop()
  })
})
