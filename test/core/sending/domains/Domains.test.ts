/**
 * Tests of sending domains that are added, verified, failing and verified again, over the memory adapter with fake keys and a DNS
 * that each test scripts.
 *
 * @module
 */
import { describe, expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { managementActor, systemActor } from "../../../../core/model/Actor.ts"
import * as LocalCrypto from "../../../../adapters/crypto/Crypto.ts"
import * as LocalSecretBox from "../../../../adapters/crypto/SecretBox.ts"
import { randomSecretKey } from "../../../../adapters/crypto/SecretKey.ts"
import * as Memory from "../../../../adapters/memory/index.ts"
import { Worker } from "../../../../core/jobs/Worker.ts"
import { AuditTrail } from "../../../../core/accounts/AuditTrail.ts"
import { AuditLog } from "../../../../core/ports/AuditLog.ts"
import { Dns, DnsMissing, DnsUnavailable, type MxRecord } from "../../../../core/ports/Dns.ts"
import { DomainStore } from "../../../../core/ports/DomainStore.ts"
import { type Job, JobQueue } from "../../../../core/ports/JobQueue.ts"
import { KeyMaker } from "../../../../core/ports/KeyMaker.ts"
import { SecretBox } from "../../../../core/ports/SecretBox.ts"
import { PublicEndpoint } from "../../../../core/kernel/PublicEndpoint.ts"
import { dkimPurpose, type SendingDomain, signingKeys } from "../../../../core/model/Domain.ts"
import { DomainChecks } from "../../../../core/sending/domains/DomainChecks.ts"
import { checkJob } from "../../../../core/jobs/definitions/DomainJobs.ts"
import { Domains } from "../../../../core/sending/domains/Domains.ts"
import { Ids } from "../../../../core/kernel/Ids.ts"
import { freshAccount, firstPage } from "../../../contract/fixtures.ts"
import { auditOf } from "../../../contract/fixtures.ts"

/** The records of the zone's names. For a name in `down`, no server replies. */
const makeZone = () => {
  const texts = new Map<string, ReadonlyArray<string>>()
  const exchangers = new Map<string, ReadonlyArray<MxRecord>>()
  const down = new Set<string>()
  const of = <A>(records: Map<string, ReadonlyArray<A>>) =>
    Effect.fnUntraced(function* (name: string) {
      yield* Effect.yieldNow
      if (down.has(name)) return yield* new DnsUnavailable({ name, reason: "timeout" })
      return records.get(name) ?? (yield* new DnsMissing({ name }))
    })
  const never = (name: string) => Effect.fail(new DnsMissing({ name }))
  return {
    texts,
    exchangers,
    down,
    dns: { txt: of(texts), mx: of(exchangers), addresses: never },
    /** Publishes a domain's records. */
    publish: (domain: SendingDomain) => {
      for (const { name, type, value } of domain.records) {
        if (type === "MX") exchangers.set(name, [{ preference: 10, exchange: value.split(" ")[1]! }])
        else texts.set(name, [value])
      }
    },
    clear: () => {
      texts.clear()
      exchangers.clear()
    }
  }
}

type Zone = ReturnType<typeof makeZone>

let made = 0

const keyMaker = Layer.succeed(KeyMaker, {
  make: (algorithm) =>
    Effect.sync(() => ({
      publicKey: `public${++made}${algorithm}`,
      privateKey: `PRIVATE ${made} ${algorithm}`
    }))
})

const released: Array<string> = []

/** Handlers that run checks, and only record releases. */
const handlers = Effect.gen(function* () {
  const { run } = yield* DomainChecks
  const queue = yield* JobQueue
  const handle = Effect.fnUntraced(function* (jobs: ReadonlyArray<Job>) {
    const releases = jobs.filter((job) => !checkJob.owns(job))
    released.push(...releases.map((job) => job.accountId))
    yield* queue.complete(releases)
    yield* run(jobs.filter(checkJob.owns))
  })
  return { domains: { batch: 20, lease: 60_000, handle } }
})

const within = <A, E>(
  test: (zone: Zone) => Effect.Effect<A, E, Layer.Success<typeof Memory.layer> | Domains | Worker | SecretBox>
) =>
  Effect.suspend(() => {
    const zone = makeZone()
    const ports = Layer.mergeAll(
      Memory.layer,
      LocalCrypto.layer,
      LocalSecretBox.layer(randomSecretKey()),
      keyMaker,
      Layer.succeed(Dns, zone.dns),
      Layer.succeed(PublicEndpoint, {
        baseUrl: () => "https://svc.example",
        mailHost: "mail.svc.example",
        takesReports: true
      })
    )
    const layer = Layer.mergeAll(Domains.layer, Worker.layer(handlers)).pipe(
      Layer.provide(DomainChecks.layer),
      Layer.provide(AuditTrail.layer),
      Layer.provideMerge(Ids.layer),
      Layer.provideMerge(ports)
    )
    return Effect.provide(test(zone), layer)
  })

/** Advances the clock, and runs each job when it is due. */
const pass = Effect.fnUntraced(function* (millis: number) {
  const worker = yield* Worker
  const clock = yield* TestClock.testClockWith((testClock) => Effect.succeed(testClock))
  const until = clock.currentTimeMillisUnsafe() + millis
  while (true) {
    yield* worker.drain
    const due = yield* worker.nextDue
    if (due === null || due > until) break
    yield* TestClock.setTime(Math.max(due, clock.currentTimeMillisUnsafe()))
  }
  yield* TestClock.setTime(until)
})

const minute = 60_000
const day = 24 * 60 * minute

const addTo = Effect.fnUntraced(function* (accountId: string, name = "news.example.com") {
  const domains = yield* Domains
  return yield* domains.add(accountId, name, managementActor)
})

const newAccount = Effect.map(freshAccount(), (account) => account.id)

const now = ({ accountId, id }: SendingDomain) =>
  Effect.flatMap(DomainStore, (store) => Effect.map(store.get(accountId, id), (domain) => domain!))

describe("Domains", () => {
  it.effect("give a live domain its own sealed keys and the records to publish", () =>
    within(() =>
      Effect.gen(function* () {
        const domain = yield* addTo(yield* newAccount, " News.Example.COM ")
        expect(domain).toMatchObject({ domain: "news.example.com", status: "Pending", verifiedAt: null })
        expect(domain.keys.map(({ algorithm, state }) => [algorithm, state])).toEqual([
          ["rsa", "Active"],
          ["ed25519", "Active"]
        ])
        expect(domain.records.map(({ found, purpose }) => [purpose, found])).toEqual([
          ["DKIM", false],
          ["DKIM", false],
          ["ReturnPath", false],
          ["SPF", false],
          ["DMARC", false],
          ["TLS", false]
        ])
        expect(yield* now(domain)).toEqual(domain)
        expect(JSON.stringify(domain)).not.toContain("PRIVATE")
        const secrets = yield* SecretBox
        for (const key of signingKeys(domain)) {
          expect(yield* secrets.open(key.sealedKey, dkimPurpose(key))).toMatch(
            new RegExp(`^PRIVATE \\d+ ${key.algorithm}$`)
          )
          const elsewhere = dkimPurpose({ ...key, domain: "other.example" })
          expect((yield* Effect.flip(secrets.open(key.sealedKey, elsewhere)))._tag).toBe("CannotOpen")
        }
      })
    )
  )

  it.effect("verify a domain in a check once its records are published, and release waiting emails", () =>
    within((zone) =>
      Effect.gen(function* () {
        const accountId = yield* newAccount
        const domain = yield* addTo(accountId)
        yield* pass(40 * minute)
        expect(yield* now(domain)).toMatchObject({ status: "Pending", failedChecks: 4 })
        zone.publish(domain)
        released.length = 0
        yield* pass(60 * minute)
        const verified = yield* now(domain)
        expect(verified).toMatchObject({ status: "Verified", verifiedAt: 90 * minute })
        expect(verified.records.every((record) => record.found)).toBe(true)
        expect(released).toEqual([accountId])
        const { items } = yield* (yield* AuditLog).list(auditOf(accountId), {}, firstPage)
        expect(items.map(({ action, actor }) => [action, actor])).toEqual([
          ["domain.verified", systemActor],
          ["domain.added", managementActor]
        ])
      })
    )
  )

  it.effect("do not verify another account's domain of the same name", () =>
    within((zone) =>
      Effect.gen(function* () {
        const mine = yield* addTo(yield* newAccount)
        const theirs = yield* addTo(yield* newAccount)
        zone.publish(mine)
        yield* pass(2 * minute)
        expect((yield* now(mine)).status).toBe("Verified")
        expect((yield* now(theirs)).status).toBe("Pending")
        zone.publish(theirs)
        yield* pass(5 * minute)
        expect((yield* now(mine)).status).toBe("Verified")
        expect((yield* now(theirs)).status).toBe("Verified")
      })
    )
  )

  it.effect(
    "make a domain Failing on the third failing day, verify it again within the hour, and ignore missing replies",
    () =>
      within((zone) =>
        Effect.gen(function* () {
          const domain = yield* addTo(yield* newAccount)
          zone.publish(domain)
          yield* pass(2 * minute)
          for (const record of domain.records) zone.down.add(record.name)
          yield* pass(10 * day)
          const quiet = yield* now(domain)
          expect(quiet).toMatchObject({ status: "Verified", failedChecks: 0 })
          expect(quiet.records.every((record) => record.found)).toBe(true)

          zone.down.clear()
          zone.clear()
          yield* pass(2 * day)
          expect(yield* now(domain)).toMatchObject({ status: "Verified", failedChecks: 2 })
          yield* pass(1.2 * day)
          expect((yield* now(domain)).status).toBe("Failing")
          zone.publish(domain)
          released.length = 0
          yield* pass(61 * minute)
          expect(yield* now(domain)).toMatchObject({ status: "Verified", failedChecks: 0 })
          expect(released).toEqual([domain.accountId])
        })
      )
  )

  it.effect("activate new keys once their records are published, in a separate check", () =>
    within((zone) =>
      Effect.gen(function* () {
        const domains = yield* Domains
        const domain = yield* addTo(yield* newAccount)
        zone.publish(domain)
        yield* pass(60 * minute)
        const rotate = domains.rotate(domain.accountId, domain.id, managementActor)
        const [one, other] = yield* Effect.all([rotate, rotate], { concurrency: 2 })
        expect(other).toEqual(one)
        expect(one.keys.map((key) => key.state)).toEqual(["Active", "Active", "Next", "Next"])
        expect(signingKeys(one)).toEqual(signingKeys(yield* now(domain)))
        expect(yield* rotate).toEqual(one)
        zone.publish(one)
        yield* pass(minute)
        const turned = yield* now(domain)
        expect(turned.status).toBe("Verified")
        expect(signingKeys(turned).map((key) => key.selector)).toEqual(
          one.keys.slice(2).map((key) => key.selector)
        )
        yield* pass(9 * day)
        expect((yield* now(domain)).keys).toHaveLength(2)
        const { items } = yield* (yield* AuditLog).list(auditOf(domain.accountId), {}, firstPage)
        expect(items.map((entry) => entry.action)).toEqual([
          "domain.dkim_activated",
          "domain.dkim_rotated",
          "domain.verified",
          "domain.added"
        ])
        expect(JSON.stringify(items)).not.toMatch(/PRIVATE|sealed|v1\./)
      })
    )
  )

  it.effect("check many domains at once, schedule one next check of each, and none of removed ones", () =>
    within((zone) =>
      Effect.gen(function* () {
        const domains = yield* Domains
        const accountId = yield* newAccount
        const list = yield* Effect.forEach(Array.from({ length: 50 }), (_, index) =>
          addTo(accountId, `d${index}.example.com`)
        )
        list.slice(0, 25).forEach(zone.publish)
        yield* domains.remove(accountId, list[49]!.id, managementActor)
        yield* pass(6 * minute)
        const { items } = yield* domains.list(accountId, firstPage)
        expect(items.filter((domain) => domain.status === "Verified")).toHaveLength(25)
        const depth = yield* (yield* JobQueue).depth
        expect(depth.find(({ queue }) => queue === "domains")).toMatchObject({ pending: 49, buried: 0 })
        for (const domain of items) yield* domains.remove(accountId, domain.id, managementActor)
        yield* pass(day)
        const after = yield* (yield* JobQueue).depth
        expect(after.find(({ queue }) => queue === "domains")?.pending ?? 0).toBe(0)
      })
    )
  )
})
