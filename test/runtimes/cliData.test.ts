/**
 * Tests the commands of the command line that call a running server.
 *
 * @module
 */
import { readFile, stat, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { api } from "../support/calls.ts"
import { linesOf, runCli } from "../support/cli.ts"
import { call, eventually } from "../support/client.ts"
import { freshFolder, type Runtime } from "../support/serverProcess.ts"
import { startProcess, type Target } from "../support/targets.ts"

const runtimes: ReadonlyArray<Runtime> = ["node", "bun"]

interface ListedAccount {
  readonly id: string
  readonly mode: string
}

const unknownId = "01890a5d-ac96-774b-bcce-b302099a8057"

for (const runtime of runtimes) {
  describe(`the command line on ${runtime}, with a server`, { timeout: 240_000 }, () => {
    let target: Target
    let folder: Awaited<ReturnType<typeof freshFolder>>
    let env: Readonly<Record<string, string>>
    let live: string

    const svc = (args: ReadonlyArray<string>, others: Readonly<Record<string, string>> = env) =>
      runCli(runtime, folder.path, args, others)

    beforeAll(async () => {
      target = await startProcess(runtime, "memory")
      folder = await freshFolder()
      env = { SVC_BASE_URL: target.baseUrl, SVC_ADMIN_TOKEN: target.managementToken }
    }, 240_000)
    afterAll(async () => {
      await target.stop()
      await folder.remove()
    })

    it("lists the accounts, as a table and as JSON", async () => {
      const json = await svc(["accounts", "list", "--json"])
      const accounts = JSON.parse(json.out) as ReadonlyArray<ListedAccount>
      expect(accounts.map(({ mode }) => mode)).toEqual(["Live", "Sandbox"])
      expect(accounts[1]!.id).toBe(target.sandbox.accountId)
      live = accounts[0]!.id
      const table = await svc(["accounts", "list"])
      expect(table.code).toBe(0)
      expect(linesOf(table.out)).toEqual([
        expect.stringMatching(/^ACCOUNT +MODE +COMPANY +COMPANY ID$/),
        expect.stringMatching(new RegExp(`^${live} +Live +`)),
        expect.stringMatching(new RegExp(`^${target.sandbox.accountId} +Sandbox +`))
      ])
    })

    it("signs in by a code, and keeps the token for the user alone", async () => {
      const token = `svc_user_${"A".repeat(43)}`
      const seen: Array<string> = []
      const server = createServer((request, response) => {
        seen.push(`${request.url} ${request.headers.authorization ?? ""}`)
        const polls = seen.filter((one) => one.startsWith("/manage/v1/device/token")).length
        const pending = { code: "users.device_pending", message: "Wait.", params: null }
        const waiting = {
          deviceCode: "x".repeat(43),
          userCode: "BCDF-GHJK",
          verificationUrl: "http://localhost/app/device",
          expiresIn: 600,
          interval: 1
        }
        const values: Readonly<Record<string, unknown>> = {
          "/manage/v1/device": waiting,
          "/manage/v1/device/token": polls < 2 ? null : { token }
        }
        const value = values[request.url ?? ""] ?? null
        const isPending = value === null && request.url === "/manage/v1/device/token"
        const status = isPending ? 400 : value === null ? 401 : 200
        response.writeHead(status, { "content-type": "application/json" })
        const errors = isPending ? [pending] : []
        response.end(JSON.stringify({ isSuccess: status === 200, value, status, errors, fieldErrors: null }))
      })
      await new Promise<void>((resolve) => {
        server.listen(0, "127.0.0.1", resolve)
      })
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const own = { XDG_CONFIG_HOME: join(folder.path, "config") }
      try {
        const { code, err, out } = await svc(["login", "--url", url], own)
        const path = join(own.XDG_CONFIG_HOME, "svc/logins.json")
        expect([code, err, linesOf(out)]).toEqual([
          0,
          "",
          [
            "Open http://localhost/app/device and confirm the code BCDF-GHJK",
            `Signed in to ${url}; the token is in ${path}`
          ]
        ])
        expect(JSON.parse(await readFile(path, "utf8"))).toEqual({ [url]: token })
        expect((await stat(path)).mode & 0o777).toBe(0o600)
        expect((await stat(dirname(path))).mode & 0o777).toBe(0o700)
        // The only server with a login of the user.
        expect((await svc(["tokens", "list"], own)).code).toBe(1)
        expect(seen.at(-1)).toMatch(new RegExp(`^/manage/v1/tokens\\S* Bearer ${token}$`))
      } finally {
        server.close()
      }
    })

    it("erases again who was erased by the lines of a log", async () => {
      const created = await api<{ contact: { id: string } }>(
        target.baseUrl,
        target.sandbox.apiKey,
        "/api/v1/contacts",
        {
          email: "erased@cli.example"
        }
      )
      const { id } = created.value.contact
      const log = join(folder.path, "svc.log")
      const lineOf = (contact: string) =>
        `timestamp=2026-11-22T20:48:18.368Z level=INFO fiber=#264 message=contact.erased ` +
        `account=${target.sandbox.accountId} target=${contact} actor=management\n`
      await writeFile(log, `${lineOf(id)}nothing\n${lineOf(id)}${lineOf(unknownId)}`)
      const first = await svc(["erasures", "apply", log])
      expect([first.code, first.out]).toEqual([
        0,
        "2 erasures in the log: 1 erased again, 1 already erased or unknown\n"
      ])
      expect((await svc(["erasures", "apply", log])).out).toContain("0 erased again")
      expect((await svc(["erasures", "apply", join(folder.path, "none.log")])).code).toBe(1)
    })

    it("finds server and token by flags, environment or ready file, and names what is missing", async () => {
      const { managementToken: token, baseUrl } = target
      expect((await svc(["accounts", "list", "--url", `${baseUrl}/`, "--token", token], {})).code).toBe(0)
      const ready = join(folder.path, "ready.json")
      await writeFile(ready, JSON.stringify({ baseUrl, managementToken: token, smtp: [], sandbox: null }))
      expect((await svc(["accounts", "list"], { SVC_READY_FILE: ready })).code).toBe(0)
      const failures: ReadonlyArray<readonly [Readonly<Record<string, string>>, string]> = [
        [
          {},
          "svc: No management token: set SVC_ADMIN_TOKEN or SVC_READY_FILE, pass --token, or sign in with svc login\n"
        ],
        [{ ...env, SVC_ADMIN_TOKEN: "wrong" }, "svc: The server does not accept this token\n"],
        [
          { ...env, SVC_BASE_URL: "http://127.0.0.1:1" },
          "svc: No answer from http://127.0.0.1:1: is the server running? Pass --url or set SVC_BASE_URL if it is elsewhere\n"
        ],
        [{ ...env, SVC_BASE_URL: "ftp://x" }, "svc: ftp://x is not an http or https URL\n"]
      ]
      const results = await Promise.all(failures.map(([others]) => svc(["accounts", "list"], others)))
      expect(results).toEqual(failures.map(([, err]) => ({ code: 1, out: "", err })))
    })

    it("creates, lists and revokes keys", async () => {
      const create = ["keys", "create", "--account", live, "--name", "Web shop", "--expires-in-days", "90"]
      const made = await svc([...create, "--permissions", "emails:send, contacts:read", "--json"])
      expect(made.code).toBe(0)
      const key = JSON.parse(made.out) as { id: string; key: string; permissions: ReadonlyArray<string> }
      expect(key.permissions.toSorted()).toEqual(["contacts:read", "emails:send"])
      const contacts = () => api(target.baseUrl, key.key, "/api/v1/contacts")
      expect((await contacts()).status).toBe(200)
      const shown = await svc([
        "keys",
        "create",
        "--account",
        live,
        "--name",
        "All",
        "--permissions",
        "all",
        "--expires-in-days",
        "never"
      ])
      expect(shown.out).toMatch(/ Key +svc_live_\w+\n/)
      expect(shown.out).toMatch(/ Expires +never\n/)

      const list = await svc(["keys", "list", "--account", live])
      expect(linesOf(list.out)).toHaveLength(3)
      expect(list.out).toContain(key.id)
      expect(list.out).not.toContain(key.key)

      expect(await svc(["keys", "revoke", key.id])).toEqual({
        code: 0,
        out: `Revoked ${key.id}. No node accepts it any more\n`,
        err: ""
      })
      expect((await contacts()).status).toBe(401)
      for (const [args, line] of [
        [["keys", "revoke", unknownId], `svc: No account has an API key ${unknownId}\n`],
        [["keys", "list", "--account", unknownId], "svc: The resource does not exist. (common.not_found)\n"]
      ] as const) {
        const { code, err, out } = await svc(args)
        expect([code, out]).toEqual([1, ""])
        expect(
          err.replace(
            /^svc: .* \(common.not_found\)\n$/,
            "svc: The resource does not exist. (common.not_found)\n"
          )
        ).toBe(line)
      }
      const short = await svc([
        "keys",
        "create",
        "--account",
        live,
        "--name",
        "",
        "--permissions",
        "all",
        "--expires-in-days",
        "30"
      ])
      expect([short.code, linesOf(short.err)]).toEqual([
        1,
        [expect.stringMatching(/^svc: name .* \(validation\.\w+\)$/)]
      ])
    })

    it("sends a test email and follows it to its outcome", async () => {
      const { accountId } = target.sandbox
      const sent = await svc(["send-test", "--to", "ada@example.org", "--account", accountId])
      expect([sent.code, sent.err]).toEqual([0, ""])
      expect(linesOf(sent.out)[0]).toMatch(/^Email [0-9a-f-]{36}$/)
      expect(sent.out).toContain("ada@example.org: Delivered\n")
      const keys = await svc(["keys", "list", "--account", accountId])
      const mine = linesOf(keys.out).filter((line) => line.includes("svc send-test"))
      expect(mine).toHaveLength(1)
      expect(mine[0]).not.toMatch(/ no +emails:send$/)

      const stuck = await svc(["send-test", "--to", "ada@example.org", "--account", live])
      expect(stuck.code).toBe(1)
      expect(stuck.out).toContain("Queued (sending.no_verified_sender)")
      expect(stuck.err).toMatch(/^sending\.no_verified_sender: .*svc doctor\n$/)
      const wrong = await svc(["send-test", "--to", "nobody", "--account", accountId])
      expect(wrong).toEqual({
        code: 1,
        out: "",
        err: "svc: to must be one valid email address, such as ada@example.org. (validation.email)\n"
      })
    })

    it("makes events of emails happen in a sandbox, and in no live account", async () => {
      const { accountId } = target.sandbox
      const listed = async <A>(path: string) => {
        const answer = await call<{ readonly items: ReadonlyArray<A> }>(
          target,
          "GET",
          `/manage/v1/accounts/${accountId}${path}`,
          { token: target.managementToken }
        )
        return answer.value.items
      }
      await call(target, "POST", `/manage/v1/accounts/${accountId}/webhooks`, {
        token: target.managementToken,
        json: { url: "http://127.0.0.1:9/", events: [] }
      })
      for (const type of ["email.bounced", "email.complained", "email.clicked"]) {
        const { code, err, out } = await svc(["trigger", type, "--account", accountId])
        expect([code, err]).toEqual([0, ""])
        expect(out).toMatch(new RegExp(`^${type}: email [0-9a-f-]{36} to \\w+@[0-9a-f-]{36}\\.example\n$`))
        const found = await eventually(
          () => listed<{ readonly type: string }>(`/notifications?type=${type}`),
          (items) => items.length > 0
        )
        expect(found).toHaveLength(1)
      }
      expect(await svc(["trigger", "email.bounced", "--account", live])).toEqual({
        code: 1,
        out: "",
        err: "svc: svc trigger works only in a sandbox, and this account is live\n"
      })
      expect((await svc(["trigger", "email.eaten"])).code).toBe(2)
    })

    it("says why a person got an email or did not", async () => {
      const to = "why@cli.example"
      const sent = await api<{ readonly id: string }>(
        target.baseUrl,
        target.sandbox.apiKey,
        "/api/v1/sending/emails",
        { to, subject: "s", text: "t", sendAt: new Date(Date.now() + 3_600_000).toISOString() }
      )
      const { id } = sent.value
      const answer = await svc(["why", to, id])
      expect([answer.code, linesOf(answer.out)]).toEqual([
        0,
        ["OnItsWay", expect.stringMatching(/The email is scheduled for .* \(sending\.scheduled\)$/)]
      ])
      const json = await svc(["why", to, id, "--account", target.sandbox.accountId, "--json"])
      expect(JSON.parse(json.out)).toMatchObject({ verdict: "OnItsWay", next: [] })
      const unknown = await svc(["why", to, unknownId])
      expect([unknown.code, unknown.out]).toEqual([1, ""])
    })

    it("exports an account and imports it unchanged into another", async () => {
      const { accountId, apiKey } = target.sandbox
      const people = Array.from({ length: 450 }, (_, index) => ({
        email: `person${index}@example.org`,
        consent: { basis: "Subscribed", proof: { text: "Yes" } }
      }))
      await api(target.baseUrl, apiKey, "/api/v1/contacts/batch", { contacts: people })
      const file = join(folder.path, "account.ndjson")
      const exported = await svc(["export", "--account", accountId, "--out", file])
      expect(exported).toMatchObject({
        code: 0,
        out: "",
        err: expect.stringContaining("contact 450") as string
      })
      expect((await stat(file)).mode & 0o777).toBe(0o600)
      const lines = linesOf(await readFile(file, "utf8"))

      const first = await svc(["import", "--account", live, file])
      // The sandbox still has the webhook of an earlier test.
      expect(first).toMatchObject({
        code: 0,
        err: expect.stringMatching(/^Webhooks were added with new secrets\. .+\n$/)
      })
      expect(first.out).toContain("contact: 450 added, 0 changed, 0 unchanged, 0 refused\n")
      const again = await svc(["import", "--account", live, file])
      expect(again.out).toContain("contact: 0 added, 0 changed, 450 unchanged, 0 refused\n")
      const copy = await svc(["export", "--account", live, "--out", "-"])
      expect(linesOf(copy.out).slice(1)).toEqual(lines.slice(1))

      const broken = join(folder.path, "broken.ndjson")
      await writeFile(broken, [lines[0], "", "nonsense", lines.at(-1), ""].join("\n"))
      const refused = await svc(["import", "--account", live, broken])
      expect([refused.code, refused.err]).toEqual([
        1,
        "line 3: The line must be a line of an archive. (archive.line_invalid)\n"
      ])
      expect(refused.out).toContain("contact: 0 added, 0 changed, 1 unchanged, 0 refused\n")
    })

    it("reports on one line why nothing was exported or imported", async () => {
      const { accountId } = target.sandbox
      const empty = join(folder.path, "empty.ndjson")
      const foreign = join(folder.path, "foreign.ndjson")
      await writeFile(empty, "\n")
      await writeFile(foreign, `{"hello":"world"}\n`)
      const calls: ReadonlyArray<readonly [ReadonlyArray<string>, RegExp]> = [
        [
          ["export", "--account", accountId, "--out", "/nowhere/x"],
          /^svc: \/nowhere\/x cannot be written: ENOENT$/
        ],
        [["export", "--account", unknownId, "--out", join(folder.path, "x")], /\(common\.not_found\)$/],
        [["import", "--account", accountId, "/nowhere/x"], /^svc: \/nowhere\/x cannot be read: ENOENT$/],
        [["import", "--account", accountId, empty], /^svc: .*empty\.ndjson is empty$/],
        [["import", "--account", accountId, foreign], /\(archive\.header_invalid\)$/]
      ]
      const results = await Promise.all(calls.map(([args]) => svc(args)))
      calls.forEach(([args, line], index) => {
        const { code, err, out } = results[index]!
        expect([args, code, out]).toEqual([args, 1, ""])
        expect(linesOf(err)).toEqual([expect.stringMatching(line)])
      })
      await expect(stat(join(folder.path, "x"))).rejects.toThrow("ENOENT")
    })
  })
}
