/**
 * Tests tokens of the operator's programs (docs/contributing/management-api.md): installation tokens and their rights, and wrong
 * tokens counted by network.
 *
 * @module
 */
import { beforeAll, describe, expect, it } from "vitest"
import { call } from "../../support/client.ts"
import type { Page } from "../../support/shapes.ts"
import type { Target } from "../../support/targets.ts"
import { manage, openWorkspace, type Workspace } from "../../support/workspace.ts"

interface IssuedToken {
  readonly id: string
  readonly name: string
  readonly token: string
  readonly display: string
  readonly rights: ReadonlyArray<string>
  readonly accounts: null
  readonly expiresAt: string | null
}

interface ListedToken extends Omit<IssuedToken, "token"> {
  readonly lastUsedAt: string | null
  readonly lastUsedNetwork: string | null
  readonly revokedAt: string | null
}

const maxFailures = 30
let lastNetwork = 0

/** A network that no other test uses. */
const newNetwork = (): string => `198.51.${Math.floor(Math.random() * 200)}.${++lastNetwork % 250}`

const from = (network: string) => ({ "x-forwarded-for": network })

/** Tests of operators' tokens. */
export const operatorTokensSuite = (target: () => Target): void => {
  const create = (json: unknown) => manage<IssuedToken>(target(), "POST", "/tokens", { json })
  const metrics = (token: string | undefined, network = newNetwork()) =>
    call(target(), "GET", "/metrics", { token, headers: from(network) })
  const companies = (token: string | undefined, network: string) =>
    call(target(), "GET", "/manage/v1/companies", { token, headers: from(network) })
  const listed = async (id: string) =>
    (await manage<Page<ListedToken>>(target(), "GET", "/tokens?pageSize=200")).value.items.find(
      (token) => token.id === id
    )
  let workspace: Workspace

  beforeAll(async () => {
    workspace = await openWorkspace(target(), "Operators")
  })

  describe("installation tokens", () => {
    it("give their rights and nothing else, from creation to revocation", async () => {
      const made = await create({ name: "prometheus", rights: ["metrics:read"], expiresInDays: null })
      expect(made.status).toBe(201)
      const { display, id, token, ...rest } = made.value
      expect(rest).toEqual({ name: "prometheus", rights: ["metrics:read"], accounts: null, expiresAt: null })
      expect(token).toMatch(/^svc_ops_[0-9A-Za-z]{49}$/)
      expect(display).toBe(`${token.slice(0, 12)}...${token.slice(-4)}`)

      expect((await metrics(token, "203.0.113.9")).status).toBe(200)
      const used = await listed(id)
      expect(used).toMatchObject({ name: "prometheus", lastUsedNetwork: "203.0.113.9", revokedAt: null })
      expect(Math.abs(Date.parse(used!.lastUsedAt!) - target().now())).toBeLessThan(120_000)
      expect(JSON.stringify(used)).not.toContain(token)
      const refused = await call(target(), "GET", "/manage/v1/tokens", { token })
      expect([refused.status, refused.codes]).toEqual([403, ["users.right_missing"]])
      const companiesSeen = await call<Page<unknown>>(target(), "GET", "/manage/v1/companies", { token })
      expect(companiesSeen.value.items).toEqual([])
      expect((await call(target(), "POST", "/manage/v1/secrets/rotate", { token })).status).toBe(403)
      expect((await call(target(), "GET", "/api/v1/contacts/ext:1", { token })).status).toBe(401)

      for (const again of [1, 2]) {
        expect([again, (await manage(target(), "DELETE", `/tokens/${id}`)).status]).toEqual([again, 200])
      }
      expect((await metrics(token)).status).toBe(401)
      expect((await listed(id))!.revokedAt).not.toBeNull()
    })

    it("expire", async () => {
      const { advance, now } = target()
      const made = (await create({ name: "one day", rights: ["metrics:read"], expiresInDays: 1 })).value
      expect(Math.abs(Date.parse(made.expiresAt!) - now() - 86_400_000)).toBeLessThan(60_000)
      expect((await metrics(made.token)).status).toBe(200)
      if (advance === null) return
      await advance("1 day")
      expect((await metrics(made.token)).status).toBe(401)
    })

    it.each([
      [{ name: "x", rights: ["metrics:read"], expiresInDays: null }, "validation.min_length", "name"],
      [
        { name: "x".repeat(101), rights: ["metrics:read"], expiresInDays: null },
        "validation.max_length",
        "name"
      ],
      [{ name: "none", rights: [], expiresInDays: null }, "validation.required", "rights"],
      [{ name: "all", rights: ["metrics:read", "*"], expiresInDays: null }, "validation.format", "rights[1]"],
      [{ name: "short", rights: ["metrics:read"], expiresInDays: 0 }, "validation.range", "expiresInDays"],
      [{ name: "long", rights: ["metrics:read"], expiresInDays: 366 }, "validation.range", "expiresInDays"],
      [{ name: "half", rights: ["metrics:read"], expiresInDays: 1.5 }, "validation.range", "expiresInDays"]
    ])("reject %j", async (json, code, field) => {
      const answer = await create(json)
      expect([answer.status, answer.codes, answer.fields]).toEqual([400, [code], [field]])
    })

    it("must say when they expire, and be known to be revoked", async () => {
      expect((await create({ name: "unset", rights: ["metrics:read"] })).status).toBe(400)
      for (const id of ["01890a5d-ac96-774b-bcce-b302099a8057", "x"]) {
        expect((await manage(target(), "DELETE", `/tokens/${id}`)).codes).toEqual(["common.not_found"])
      }
    })

    it("are limited to 50 active ones, also created at once", async () => {
      const { items } = (await manage<Page<ListedToken>>(target(), "GET", "/tokens?pageSize=200")).value
      const active = items.filter(
        ({ expiresAt, revokedAt }) =>
          revokedAt === null && (expiresAt === null || Date.parse(expiresAt) > target().now())
      ).length
      const wanted = Array.from({ length: 52 - active }, (_, index) =>
        create({ name: `many ${index}`, rights: ["metrics:read"], expiresInDays: 1 })
      )
      const answers = await Promise.all(wanted)
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(50 - active)
      for (const { codes } of answers.filter(({ status }) => status !== 201)) {
        expect(codes).toEqual(["tokens.limit_reached"])
      }
      const made = answers.flatMap((answer) => (answer.status === 201 ? [answer.value as IssuedToken] : []))
      await Promise.all(made.map(({ id }) => manage(target(), "DELETE", `/tokens/${id}`)))
    })
  })

  describe("wrong management tokens", () => {
    const wrongTokens = () => [
      "guess",
      `${target().managementToken}x`,
      `svc_ops_${"A".repeat(49)}`,
      workspace.live.key
    ]

    const guess = async (network: string, times: number) => {
      const wrong = wrongTokens()
      for (let index = 0; index < times; index++) {
        const path = index % 2 === 0 ? "/metrics" : "/manage/v1/companies"
        const token = wrong[index % wrong.length]!
        const answer = await call(target(), "GET", path, { token, headers: from(network) })
        expect([index, answer.status]).toEqual([index, 401])
      }
    }

    it("block their network after 30, and no other, and end after 15 minutes", async () => {
      const { advance, managementToken, name } = target()
      const network = newNetwork()
      const { token } = (await create({ name: "blocked", rights: ["metrics:read"], expiresInDays: 1 })).value
      await guess(network, maxFailures)
      const blocked = await companies("guess", network)
      expect([blocked.status, blocked.codes]).toEqual([429, ["users.too_many_attempts"]])
      const wait = Number(blocked.headers.get("retry-after"))
      expect(wait).toBeGreaterThan(880)
      expect(wait).toBeLessThanOrEqual(910)
      // A call without a token is not a guess.
      expect((await companies(undefined, network)).status).toBe(401)
      // A generated token cannot be guessed and is still accepted. A configured one is blocked, right or wrong.
      expect((await metrics(token, network)).status).toBe(200)
      const isConfigured = name === "embedded"
      expect((await companies(managementToken, network)).status).toBe(isConfigured ? 429 : 200)
      expect((await companies(managementToken, newNetwork())).status).toBe(200)
      expect((await companies("guess", newNetwork())).status).toBe(401)
      if (advance === null) return
      // The clock also advances by itself.
      await advance(`${wait - 60} seconds`)
      expect((await companies(managementToken, network)).status).toBe(429)
      await advance("60 seconds")
      expect((await companies(managementToken, network)).status).toBe(200)
    })

    it("of an IPv6 network are counted together", async () => {
      const prefix = `2001:db8:${(++lastNetwork).toString(16)}:${Math.floor(Math.random() * 65_535).toString(16)}`
      for (let index = 0; index < maxFailures; index++) {
        expect((await companies("guess", `${prefix}::${index.toString(16)}`)).status).toBe(401)
      }
      expect((await companies("guess", `${prefix}:ffff::1`)).status).toBe(429)
    })

    it("are not counted where no token is sent, and fewer than 30 block no network", async () => {
      const network = newNetwork()
      for (let index = 0; index < 2 * maxFailures; index++) {
        expect((await companies(undefined, network)).status).toBe(401)
      }
      await guess(network, maxFailures - 1)
      expect((await companies(target().managementToken, network)).status).toBe(200)
    })
  })
}
