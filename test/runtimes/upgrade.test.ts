/**
 * Tests that a database of an early version is upgraded by two nodes that start at the same time, and keeps all its data.
 *
 * @module
 */
import { createHash, randomBytes } from "node:crypto"
import { expect, it } from "vitest"
import { migrations } from "../../adapters/postgres/migrations/index.ts"
import { formatKey, keyBytes, prefixes } from "../../core/accounts/KeyFormat.ts"
import { api, delivered } from "../support/calls.ts"
import { execute, emptyDatabase, query } from "../support/postgres.ts"
import { useServers } from "../support/servers.ts"
import type { Contact, ConsentEntry, Page } from "../support/shapes.ts"

const admin = "token-of-the-operator-0123456789ab"
/** The schema version of the data: accounts, contacts with consent, email and jobs. */
const early = 3
const people = 2_000

const { all, start, stop } = useServers()

const company = "01890a5d-ac96-774b-bcce-b30209900001"
const live = "01890a5d-ac96-774b-bcce-b30209900002"
const sandbox = "01890a5d-ac96-774b-bcce-b30209900003"
const ada = "01890a5d-ac96-774b-bcce-b30209900010"
const sent = "01890a5d-ac96-774b-bcce-b30209900020"
const queued = "01890a5d-ac96-774b-bcce-b30209900030"

const key = formatKey(prefixes.test, randomBytes(keyBytes))
const at = "2025-03-01T12:00:00.000Z"
const settings = JSON.stringify({
  autoCreateAttributes: false,
  tracking: { opens: false, clicks: false },
  flowTracking: { opens: true, clicks: true },
  contactLimit: 5_000,
  dailySendLimit: null,
  retentionDays: 30_000,
  recipientRetentionDays: 30_000,
  defaultSender: { email: "hello@sandbox.example", name: "Hello" },
  rateLimitPerMinute: 100_000
})

/** The data of the early version. */
const rows: ReadonlyArray<string> = [
  `insert into instance values (true, '${sandbox}', '${"0".repeat(64)}', true)`,
  `insert into companies values ('${company}', 'Early', '${live}', '${sandbox}', '${at}')`,
  `insert into accounts values ('${live}', '${company}', 'Live', 'Early', '${settings}', '${at}'),
    ('${sandbox}', '${company}', 'Sandbox', 'Early sandbox', '${settings}', '${at}')`,
  `insert into api_keys values ('${sandbox}', '01890a5d-ac96-774b-bcce-b30209900004', 'Early key',
    '${createHash("sha256").update(key).digest("hex")}', '${key.slice(0, 12)}...${key.slice(-4)}',
    '{contacts:read,contacts:write,contacts:erase,emails:send,emails:read}', null, '${at}', null, '${at}')`,
  `insert into audit_log values ('${sandbox}', '01890a5d-ac96-774b-bcce-b30209900005', '${at}', 'management',
    'api_key.created', '01890a5d-ac96-774b-bcce-b30209900004', null, '{"name":"Early key"}')`,
  `insert into contacts (account_id, id, external_id, email, first_name, consent_status, consent_source,
      consent_updated_at, consent_proof, attributes, added_at, version)
    values ('${sandbox}', '${ada}', 'user-1', 'ada@example.org', 'Ada', 'Subscribed', 'Api', '${at}',
      '{"text":"Yes, send me the newsletter","textVersion":null,"locale":null,"ipAddress":null,"givenAt":null}',
      '{}', '${at}', 1)`,
  `insert into consents values ('${sandbox}', '01890a5d-ac96-774b-bcce-b30209900011', '${ada}', null, 'Subscribed',
    'Subscribed', '{"text":"Yes, send me the newsletter","textVersion":null,"locale":null,"ipAddress":null,"givenAt":null}',
    'Api', '${at}')`,
  `insert into contacts (account_id, id, email, consent_status, attributes, added_at, version)
    select '${sandbox}', gen_random_uuid(), 'p' || n || '@example.org', 'Unknown', '{}',
      '${at}'::timestamptz + n * interval '1 second', 1
    from generate_series(1, ${people - 1}) as n`,
  `insert into contact_counts values ('${sandbox}', ${people})`,
  ...[sent, queued].flatMap((id) => [
    `insert into submissions values ('${sandbox}', '${id}', 'order-${id.slice(-2)}',
      '{"email":"hello@sandbox.example","name":"Hello"}', 'Early', '<p>Early</p>', 'Early', '{}', '{"order":"1"}',
      null, null, 'Queued', null, '${at}')`,
    `insert into deliveries values ('${sandbox}', '${id.slice(0, -1)}1', '${id}', 0, 'ada@example.org', 'Ada', 'To',
      '${id === sent ? "Delivered" : "Queued"}', null, ${id === sent ? 1 : 0}, '${at}', '${at}')`
  ]),
  `insert into jobs values ('${sandbox}', 'deliveries', '01890a5d-ac96-774b-bcce-b30209900040', null, '${at}', '${at}',
    false, 0, null, '{"deliveryId":"${queued.slice(0, -1)}1"}')`,
  `insert into inbox_messages values ('${sandbox}', '01890a5d-ac96-774b-bcce-b30209900050', '${sent}',
    'ada@example.org', 'hello@sandbox.example', 'Hello', 'Early', '<p>Early</p>', 'Early', '${at}', 'Subject: Early')`,
  `insert into suppressions values ('${sandbox}', 'gone@example.org', 'Bounced', '${at}')`,
  `insert into domains values ('${sandbox}', '01890a5d-ac96-774b-bcce-b30209900060', 'sandbox.example', 'Verified',
    '[]', '${at}', '${at}')`
]

it("two nodes at once upgrade an early version's database and keep all its data", async () => {
  const url = await emptyDatabase()
  await execute(
    url,
    ...migrations.slice(0, early).flat(),
    "create table svc_migrations (version int primary key)",
    `insert into svc_migrations select generate_series(1, ${early})`,
    ...rows
  )
  const env = { SVC_STORE: url, SVC_ADMIN_TOKEN: admin, SVC_SECRET_KEY: "0123456789abcdef0123456789abcdef" }
  start("node", env)
  start("bun", env)
  const ready = await Promise.all(all().map((server) => server.ready()))
  // It is not a first start, so nothing is created.
  expect(ready.map((node) => node.sandbox)).toEqual([null, null])
  const versions = await query<{ version: number }>(
    url,
    "select version from svc_migrations order by version"
  )
  expect(versions.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1))

  for (const { baseUrl } of ready) {
    const read = async <Value>(path: string) => {
      const answer = await api<Value>(baseUrl, key, `/api/v1${path}`)
      expect([path, answer.status]).toEqual([path, 200])
      return answer.value
    }
    const managed = async <Value>(path: string) => {
      const answer = await api<Value>(baseUrl, admin, `/manage/v1/accounts/${sandbox}${path}`)
      expect([path, answer.status]).toEqual([path, 200])
      return answer.value
    }
    for (const reference of [ada, "ext:user-1", "email:ada@example.org"]) {
      expect(await read<Contact>(`/contacts/${reference}`)).toMatchObject({
        id: ada,
        email: "ada@example.org",
        firstName: "Ada",
        consentStatus: "Subscribed",
        addedAt: at
      })
    }
    expect((await read<Page<Contact>>("/contacts?pageSize=1")).totalCount).toBe(people)
    const segments =
      await read<ReadonlyArray<{ builtInKey: string | null; count: number; sendableCount: number }>>(
        "/segments"
      )
    expect(segments.find(({ builtInKey }) => builtInKey === "subscribed")).toMatchObject({
      count: 1,
      sendableCount: 1
    })
    expect((await managed<Page<ConsentEntry>>(`/contacts/${ada}/consent-history`)).items).toMatchObject([
      { from: null, to: "Subscribed", proof: { text: "Yes, send me the newsletter" }, at }
    ])
    expect(await read(`/sending/emails/${sent}`)).toMatchObject({
      status: "Delivered",
      metadata: { order: "1" }
    })
    // Jobs that were pending are processed by this version.
    await delivered(baseUrl, key, queued)
    expect((await managed<{ items: ReadonlyArray<{ email: string }> }>("/suppressions")).items).toMatchObject(
      [{ email: "gone@example.org", kind: "Bounced" }]
    )
    expect(await managed<object>("")).toMatchObject({ settings: JSON.parse(settings) as object })
    expect((await managed<Page<unknown>>("/audit-log")).totalCount).toBeGreaterThan(0)
    expect((await managed<Page<{ domain: string }>>("/domains")).items).toMatchObject([
      { domain: "sandbox.example" }
    ])
    // A message that was stored whole stays readable, next to one that is rendered.
    const old = "01890a5d-ac96-774b-bcce-b30209900050"
    expect(await managed(`/inbox/${old}`)).toMatchObject({ subject: "Early", html: "<p>Early</p>" })
    expect((await managed<Page<object>>("/inbox")).items).toMatchObject([
      { subject: "Early", html: "<p>Early</p>", text: "Early" },
      { id: old, subject: "Early", html: "<p>Early</p>", text: "Early" }
    ])
    const raw = await fetch(`${baseUrl}/manage/v1/accounts/${sandbox}/inbox/${old}/raw`, {
      headers: { authorization: `Bearer ${admin}` }
    })
    expect(await raw.text()).toBe("Subject: Early")
    expect((await managed<Page<unknown>>("/templates")).totalCount).toBe(0)
    expect((await managed<Page<unknown>>(`/contacts/${ada}/timeline`)).items.length).toBeLessThan(5)
  }
  expect((await query<{ count: number }>(url, "select count(*)::int from inbox_messages"))[0]!.count).toBe(2)

  // New features work with the old data.
  const [{ baseUrl }] = ready as [(typeof ready)[0]]
  const email = { to: "ada@example.org", subject: "New", text: "t" }
  const again = await api<{ id: string }>(baseUrl, key, "/api/v1/sending/emails", {
    ...email,
    idempotencyKey: "order-new"
  })
  expect(again.status).toBe(201)
  await delivered(baseUrl, key, again.value.id)
  const links = await api<Record<string, string>>(
    baseUrl,
    admin,
    `/manage/v1/accounts/${sandbox}/contacts/${ada}/links`,
    {}
  )
  expect((await fetch(baseUrl + links.value["unsubscribe"], { method: "POST" })).status).toBe(200)
  expect((await api<Contact>(baseUrl, key, `/api/v1/contacts/${ada}`)).value.consentStatus).toBe(
    "Unsubscribed"
  )
  const erased = await fetch(`${baseUrl}/api/v1/contacts/email:p1@example.org`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${key}` }
  })
  expect(erased.status).toBe(200)
  for (const server of all()) {
    expect(server.err()).toBe("")
    await stop(server)
  }
})
