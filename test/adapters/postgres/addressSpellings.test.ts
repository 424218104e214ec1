/**
 * Tests addresses that an earlier version stored in several spellings, after the migration: through the public API, over
 * PostgreSQL and PGlite.
 *
 * @module
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql/SqlClient"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { layer as openEmbedded } from "../../../adapters/postgres/engine/Embedded.ts"
import { inspect } from "../../../adapters/postgres/engine/Inspection.ts"
import { migrations } from "../../../adapters/postgres/migrations/index.ts"
import { statements } from "../../../adapters/postgres/migrations/0031_address_spellings.ts"
import { type Embedded, start } from "../../../runtimes/embedded/index.ts"
import { freshDatabase } from "../../support/postgres.ts"

/** The fields of responses that the test reads. */
interface Value {
  readonly [key: string]: unknown
  readonly id?: string
  readonly contact?: { readonly id: string }
}

const secretKey = "11".repeat(32)

interface Database {
  readonly store: { readonly url: string } | { readonly directory: string }
  readonly sql: <A>(use: Effect.Effect<A, unknown, SqlClient>) => Promise<A>
  readonly remove: () => void
}

const databases: Record<string, () => Promise<Database>> = {
  PostgreSQL: async () => {
    const url = await freshDatabase()
    const client = PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })
    return {
      store: { url },
      sql: (use) => Effect.runPromise(Effect.provide(use, client, { local: true })),
      remove: () => undefined
    }
  },
  PGlite: async () => {
    const directory = mkdtempSync(join(tmpdir(), "svc-spellings-"))
    return {
      store: { directory },
      sql: (use) =>
        Effect.runPromise(Effect.scoped(Effect.provide(use, openEmbedded(directory), { local: true }))),
      remove: () => rmSync(directory, { recursive: true, force: true })
    }
  }
}

const run = (...texts: ReadonlyArray<string>) =>
  Effect.flatMap(SqlClient, (sql) => Effect.forEach(texts, (text) => sql.unsafe(text), { discard: true }))

const version = migrations.findIndex((one) => one === statements) + 1

describe.each(Object.keys(databases))("addresses stored in several spellings, on %s", (name) => {
  it(
    "become one, with the stricter consent, and leave the other contact out",
    { timeout: 240_000 },
    async () => {
      const { remove, sql, store } = await databases[name]!()
      let service: Embedded | null = null
      const ask = async (method: string, path: string, body?: object) => {
        const isManagement = path.startsWith("/manage")
        const response = await service!.fetch(
          new Request(service!.baseUrl + path.replace("A/", `${service!.sandbox.accountId}/`), {
            method,
            headers: {
              authorization: `Bearer ${isManagement ? service!.managementToken : service!.sandbox.apiKey}`,
              "content-type": "application/json"
            },
            ...(body === undefined ? {} : { body: JSON.stringify(body) })
          })
        )
        const { value, errors } = (await response.json()) as {
          value: Value
          errors?: ReadonlyArray<{ code: string }>
        }
        return { status: response.status, value, code: errors?.[0]?.code }
      }
      const add = async (externalId: string, consent: object = {}) => {
        const contact = { externalId, email: `${externalId}@example.org`, ...consent }
        const { status, value } = await ask("POST", "/api/v1/contacts", contact)
        expect(status).toBe(201)
        return value.contact!.id
      }
      const respell = (id: string, email: string) =>
        `update contacts set email = '${email}' where id = '${id}'`
      const subscribed = { consent: { basis: "Subscribed", proof: { text: "Yes." } } }
      const unsubscribed = { consent: { basis: "Unsubscribed" } }
      try {
        service = await start({ store, secretKey })
        const ids = {
          ada: await add("ada", subscribed),
          adaTwin: await add("ada2", unsubscribed),
          bob: await add("bob"),
          bobTwin: await add("bob2", subscribed),
          carl: await add("carl", subscribed),
          eve: await add("eve", subscribed),
          zoe: await add("zoe")
        }
        await ask("POST", "/manage/v1/accounts/A/suppressions", {
          email: "eve@elsewhere.example",
          kind: "Complained"
        })
        await ask("POST", "/manage/v1/accounts/A/suppressions", {
          email: "max@example.org",
          kind: "Protected"
        })
        await service.close()
        // The way an earlier version stored it.
        await sql(run(respell(ids.zoe, '"zoe"@example.org')))
        service = await start({ store, secretKey })
        expect((await ask("DELETE", `/api/v1/contacts/${ids.zoe}`)).status).toBe(200)
        await service.close()
        await sql(
          run(
            respell(ids.adaTwin, '"ada"@example.org'),
            respell(ids.bob, '"\\bob"@example.org'),
            respell(ids.bobTwin, "bob@example.org"),
            respell(ids.carl, '"carl.x"@example.org'),
            `update suppressions set email = '"eve"@example.org' where email = 'eve@elsewhere.example'`,
            `update suppressions set email = '"max"@example.org' where email = 'max@example.org'`,
            `drop table address_twins`,
            `delete from svc_migrations where version >= ${version}`,
            ...migrations
              .slice(version)
              .map((_, index) => `insert into svc_migrations values (${version + 1 + index})`)
          )
        )
        if (version < migrations.length) await sql(run(...statements))
        service = await start({ store, secretKey })
        const read = async (reference: string) => {
          const { status, value } = await ask("GET", `/api/v1/contacts/${encodeURIComponent(reference)}`)
          return [status, value?.id, value?.["email"], value?.["consentStatus"]]
        }
        for (const spelling of [
          "ada@example.org",
          '"ada"@example.org',
          '"a\\da"@example.org',
          "ada(c)@example.org"
        ]) {
          expect(await read(`email:${spelling}`)).toEqual([200, ids.ada, "ada@example.org", "Unsubscribed"])
        }
        expect(await read("email:bob@example.org")).toEqual([200, ids.bob, "bob@example.org", "Unknown"])
        expect(await read('email:"carl.x"@example.org')).toEqual([
          200,
          ids.carl,
          "carl.x@example.org",
          "Subscribed"
        ])
        expect((await read(ids.adaTwin)).slice(1)).toEqual([ids.adaTwin, '"ada"@example.org', "Unsubscribed"])
        expect((await read(ids.bobTwin)).slice(1, 3)).toEqual([ids.bobTwin, '"\\bob"@example.org'])
        expect((await read("email:eve@example.org"))[3]).toBe("Complained")
        const history = await ask("GET", `/manage/v1/accounts/A/contacts/${ids.ada}/consent-history`)
        expect(history.value["items"]).toMatchObject([
          { from: "Subscribed", to: "Unsubscribed" },
          { to: "Subscribed" }
        ])
        // A write with any spelling is about the same person; the erased one stays erased.
        const again = await ask("POST", "/api/v1/contacts", { email: '"Ada"@example.org', firstName: "Ada" })
        expect([again.status, again.value.contact!.id]).toEqual([200, ids.ada])
        await ask("PATCH", "/manage/v1/accounts/A/settings", { keepErased: true })
        expect((await ask("POST", "/api/v1/contacts", { email: "zoe@example.org" })).code).toBe(
          "audience.contact_erased"
        )
        const protectedOne = await ask("POST", "/api/v1/sending/emails", {
          to: "max@example.org",
          subject: "s",
          text: "t"
        })
        expect(protectedOne.value).toMatchObject({ status: "Suppressed", reason: "sending.gate_protected" })
        // The other contact gets no email, even if a flow finds it by its id.
        const flow = await ask("POST", "/manage/v1/accounts/A/flows", {
          name: "Receipt",
          trigger: { kind: "Event", name: "user.paid" },
          steps: [
            { id: "mail", kind: "SendEmail", purpose: "Transactional", subject: "Paid", html: "<p>h</p>" }
          ]
        })
        await ask("POST", `/manage/v1/accounts/A/flows/${flow.value.id}/publish`)
        const contacts = [ids.ada, ids.adaTwin].map((id) => ({ id }))
        const events = contacts.map((contact, index) => ({ id: `${index}`, name: "user.paid", contact }))
        await ask("POST", "/api/v1/events", { events })
        await service.settle()
        expect((await service.inbox()).map(({ to }) => to)).toEqual(["ada@example.org"])
        expect(
          (await ask("DELETE", "/manage/v1/accounts/A/suppressions/%22max%22%40example.org")).status
        ).toBe(200)
        await service.close()
        service = null
        expect(
          await sql(
            Effect.map(inspect, ({ twins }) => twins.map((twin) => [twin.contactId, twin.keptBy]).toSorted())
          )
        ).toEqual(
          [
            [ids.adaTwin, ids.ada],
            [ids.bobTwin, ids.bob]
          ].toSorted()
        )
      } finally {
        await service?.close()
        remove()
      }
    }
  )
})
