/**
 * The use cases of relays, of the installation and of companies: their settings, their secrets, and whether they can be used.
 *
 * @module
 */
import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../../accounts/AuditTrail.ts"
import { Atomically } from "../../kernel/atomically.ts"
import { Ids } from "../../kernel/Ids.ts"
import { noAccount } from "../../model/Account.ts"
import type { Actor } from "../../model/Actor.ts"
import { type MailRelay, relayPorts, type RelayStepResult } from "../../model/MailRelay.ts"
import { relayLaneOf } from "../../model/Message.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { AddressGuard } from "../../ports/AddressGuard.ts"
import { InstallationStore } from "../../ports/InstallationStore.ts"
import { RelayProbe } from "../../ports/RelayProbe.ts"
import { RelayStore } from "../../ports/RelayStore.ts"
import { SecretBox } from "../../ports/SecretBox.ts"
import { SignatureVerifier } from "../../ports/SignatureVerifier.ts"
import type { Page, PageRequest } from "../../shared/Page.ts"
import { Problem, type Unavailable } from "../../shared/Problem.ts"
import {
  changedSettings,
  conditionAfter,
  maxRelays,
  type NewRelay,
  type RelayChanges,
  type RelaySettings,
  type SettingsContext
} from "./RelayRules.ts"
import { ShapingControl } from "../shaping/ShapingControl.ts"
import { openSecrets, sealSecrets } from "./RelaySecrets.ts"
import { parseRelayUrl, type RelayOwner } from "./RelayUrl.ts"
import { type Unreported, unreportedOf } from "./Unreported.ts"

/** The result of a check. */
export interface RelayCheck {
  /** Whether every step succeeded. */
  readonly ok: boolean
  /** In order; only the last one may have failed. */
  readonly steps: ReadonlyArray<RelayStepResult>
}

/**
 * Manages relays. Those of a company belong to it. Those of the installation, with null as the company, belong to its
 * operators.
 */
export class Relays extends Context.Service<
  Relays,
  {
    /** Adds a relay. Fails with validation.* and relays.*. */
    readonly create: (
      companyId: string | null,
      given: NewRelay,
      actor: Actor
    ) => Effect.Effect<MailRelay, Problem | Unavailable>
    /** Lists the owner's relays, newest first. */
    readonly list: (
      companyId: string | null,
      page: PageRequest
    ) => Effect.Effect<Page<MailRelay>, Unavailable>
    /** Returns a relay. Fails with common.not_found. */
    readonly get: (companyId: string | null, id: string) => Effect.Effect<MailRelay, Problem | Unavailable>
    /** Changes the settings that a request names. Fails with common.not_found, validation.* and relays.*. */
    readonly change: (
      companyId: string | null,
      id: string,
      given: RelayChanges,
      actor: Actor
    ) => Effect.Effect<MailRelay, Problem | Unavailable>
    /** Deletes a relay. Fails with common.not_found. */
    readonly remove: (
      companyId: string | null,
      id: string,
      actor: Actor
    ) => Effect.Effect<void, Problem | Unavailable>
    /** The relays of the installation that companies may use, newest first. */
    readonly shared: Effect.Effect<ReadonlyArray<MailRelay>, Unavailable>
    /**
     * For relays by id: how much of their latest mail they never reported on. Relays without such information are left out.
     */
    readonly unreported: (
      relays: ReadonlyArray<MailRelay>
    ) => Effect.Effect<ReadonlyMap<string, Unreported>, Unavailable>
    /** Connects and authenticates, and stores the result as the relay's state. Fails with common.not_found. */
    readonly check: (
      companyId: string | null,
      id: string,
      actor: Actor
    ) => Effect.Effect<RelayCheck, Problem | Unavailable>
  }
>()("svc/sending/Relays") {
  static readonly layer = Layer.effect(
    Relays,
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const atomically = yield* Atomically
      const box = yield* SecretBox
      const guard = yield* AddressGuard
      const ids = yield* Ids
      const installation = yield* InstallationStore
      const probe = yield* RelayProbe
      const shaping = yield* ShapingControl
      const store = yield* RelayStore
      const verifier = yield* SignatureVerifier
      const { record } = yield* AuditTrail

      const ownerOf = (companyId: string | null): RelayOwner =>
        companyId === null ? "Installation" : "Company"

      const contextOf = (companyId: string | null): SettingsContext => ({
        owner: ownerOf(companyId),
        verifier,
        accepts: (host, port) => guard.isOpen || (relayPorts.includes(port) && guard.accepts(host))
      })

      const audit = (
        actor: Actor,
        action: string,
        target: string,
        companyId: string | null,
        before: MailRelay | null,
        after: MailRelay | null
      ) =>
        record(actor, {
          accountId: noAccount,
          ...(companyId === null ? {} : { companyId }),
          action,
          target,
          before: before === null ? null : summaryOf(before),
          after: after === null ? null : summaryOf(after)
        })

      /** Serializes changes of one owner's relays, so that none is lost and the limit is not exceeded. */
      const lock = (companyId: string | null) =>
        companyId === null ? installation.lock : Effect.asVoid(accounts.lockCompanies([companyId]))

      const get = Effect.fn("Relays.get")(function* (companyId: string | null, id: string) {
        const [found] = yield* store.find([id])
        return found === undefined || found.companyId !== companyId
          ? yield* Problem.of("common.not_found")
          : found
      })

      const sealed = Effect.fnUntraced(function* (id: string, { secrets, ...settings }: RelaySettings) {
        return { ...settings, secrets: yield* sealSecrets(box, id, secrets) }
      })

      /**
       * Sends the mail that waited for a relay which rejected it: through the relay with its new settings, or by the next way.
       */
      const resume = (id: string, actor: Actor) => shaping.resumeLane(relayLaneOf(id), actor)

      const changeStored = Effect.fnUntraced(function* (
        companyId: string | null,
        id: string,
        given: RelayChanges,
        actor: Actor
      ) {
        yield* lock(companyId)
        const before = yield* get(companyId, id)
        // Secrets that can no longer be opened must be submitted again.
        const secrets = (yield* openSecrets(box, before)) ?? { url: "", feedback: {} }
        const settings = yield* Effect.fromResult(
          changedSettings(before.kind, { ...before, secrets }, given, contextOf(companyId))
        )
        const after: MailRelay = { ...before, ...(yield* sealed(id, settings)) }
        yield* store.save(after)
        const isElsewhere = settings.secrets.url !== secrets.url
        const condition = { state: "Active", stateReason: null, words: null } as const
        if (isElsewhere) yield* store.saveCondition(id, condition)
        yield* audit(actor, "relay.changed", id, companyId, before, after)
        return { isElsewhere, relay: isElsewhere ? { ...after, ...condition } : after }
      }, atomically)

      return Relays.of({
        create: Effect.fn("Relays.create")(function* (companyId, given, actor) {
          const settings = yield* Effect.fromResult(
            changedSettings(given.kind, null, given, contextOf(companyId))
          )
          const id = yield* ids.next
          const relay: MailRelay = {
            ...(yield* sealed(id, settings)),
            id,
            companyId,
            kind: given.kind,
            state: "Active",
            stateReason: null,
            words: null,
            lastRefusal: null,
            lastReportAt: null,
            createdAt: yield* Clock.currentTimeMillis
          }
          const max = maxRelays[ownerOf(companyId)]
          yield* atomically(
            Effect.gen(function* () {
              yield* lock(companyId)
              if ((yield* store.count(companyId)) >= max) {
                return yield* Problem.of("relays.limit_reached", null, { max })
              }
              yield* store.insert(relay)
              yield* audit(actor, "relay.created", id, companyId, null, relay)
            })
          )
          return relay
        }),
        list: store.list,
        shared: Effect.map(store.list(null, { page: 1, pageSize: maxRelays.Installation }), ({ items }) =>
          items.filter(({ shared }) => shared)
        ),
        get,
        unreported: (relays) => Effect.provideService(unreportedOf(relays), RelayStore, store),
        change: Effect.fn("Relays.change")(function* (companyId, id, given, actor) {
          const { isElsewhere, relay } = yield* changeStored(companyId, id, given, actor)
          if (isElsewhere) yield* resume(id, actor)
          return relay
        }),
        remove: Effect.fn("Relays.remove")(function* (companyId, id, actor) {
          yield* atomically(
            Effect.gen(function* () {
              const removed = yield* store.remove(companyId, id)
              if (removed === null) return yield* Problem.of("common.not_found")
              yield* audit(actor, "relay.deleted", id, companyId, removed, null)
            })
          )
          yield* resume(id, actor)
        }),
        check: Effect.fn("Relays.check")(function* (companyId, id, actor) {
          const relay = yield* get(companyId, id)
          const secrets = yield* openSecrets(box, relay)
          const parsed = parseRelayUrl(secrets?.url ?? "", ownerOf(companyId))
          const { endpoint } = parsed ?? (yield* Problem.of("relays.url_invalid", "url"))
          const steps = yield* probe.check({ ...endpoint, isGuarded: companyId !== null })
          const condition = conditionAfter(steps)
          yield* atomically(
            Effect.andThen(
              store.saveCondition(id, condition),
              record(actor, {
                accountId: noAccount,
                ...(companyId === null ? {} : { companyId }),
                action: "relay.checked",
                target: id,
                before: null,
                after: { name: relay.name, state: condition.state, stateReason: condition.stateReason }
              })
            )
          )
          const ok = condition.state === "Active"
          if (ok) yield* resume(id, actor)
          return { ok, steps }
        })
      })
    })
  ).pipe(Layer.provide(ShapingControl.layer))
}

/** A relay as the audit log shows it, without secrets. */
const summaryOf = ({
  dailyLimit,
  feedback,
  feedbackSecrets,
  kind,
  maxPerSecond,
  name,
  shared,
  shownUrl,
  streams
}: MailRelay) => ({
  name,
  kind,
  url: shownUrl,
  streams,
  maxPerSecond,
  dailyLimit,
  shared,
  feedback: { ...feedback, ...Object.fromEntries(feedbackSecrets.map((field) => [field, true])) }
})
