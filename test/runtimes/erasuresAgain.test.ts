/**
 * Tests people who were erased after a backup: a restore brings them back, until they are erased again from the log.
 *
 * @module
 */
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import { api, changeSettings } from "../support/calls.ts"
import { runCli } from "../support/cli.ts"
import { emptyDatabase, freshDatabase } from "../support/postgres.ts"
import { useServers } from "../support/servers.ts"

const { folder, start, stop } = useServers()

const admin = "token-of-the-operator-0123456789abcdef"

it("who was erased after a backup is erased again from the service's log after its restore", async () => {
  const [backedUp, restored] = await Promise.all([freshDatabase(), emptyDatabase()])
  const server = start("node", { SVC_STORE: backedUp, SVC_ADMIN_TOKEN: admin })
  const { baseUrl, sandbox } = await server.ready()
  const { accountId, apiKey } = sandbox!
  const emails = ["grace@example.org", "bob@example.org"] as const
  const contacts = emails.map((email, index) => ({ email, externalId: `user-${index}` }))
  expect((await api(baseUrl, apiKey, "/api/v1/contacts/batch", { contacts })).status).toBe(200)
  const file = join(folder(), "svc.backup")
  const backup = await runCli("node", folder(), ["backup", "--out", file], { SVC_STORE: backedUp })
  expect(backup.code).toBe(0)

  const erase = await fetch(`${baseUrl}/api/v1/contacts/ext:user-0`, {
    method: "DELETE",
    headers: { authorization: `Bearer ${apiKey}` }
  })
  expect(erase.status).toBe(200)
  await stop(server)
  const log = join(folder(), "svc.log")
  await writeFile(log, server.out())
  expect(server.out()).not.toContain(emails[0])

  const env = { SVC_STORE: restored, SVC_ADMIN_TOKEN: admin }
  expect((await runCli("node", folder(), ["restore", file], env)).code).toBe(0)
  const again = await start("node", env).ready()
  const known = async () => {
    const statuses = emails.map((_, index) =>
      api(again.baseUrl, apiKey, `/api/v1/contacts/ext:user-${index}`).then(({ status }) => status)
    )
    return Promise.all(statuses)
  }
  expect(await known()).toEqual([200, 200])
  const apply = () =>
    runCli("node", folder(), ["erasures", "apply", log], { ...env, SVC_BASE_URL: again.baseUrl })
  expect(await apply()).toEqual({
    code: 0,
    out: "1 erasures in the log: 1 erased again, 0 already erased or unknown\n",
    err: ""
  })
  expect(await known()).toEqual([404, 200])
  expect((await apply()).out).toContain("0 erased again")
  // The address is remembered as erased again too, so no import adds the person.
  await changeSettings(again.baseUrl, admin, accountId, { keepErased: true })
  const added = await api(again.baseUrl, apiKey, "/api/v1/contacts", { email: emails[0] })
  expect([added.status, added.codes]).toEqual([409, ["audience.contact_erased"]])
})
