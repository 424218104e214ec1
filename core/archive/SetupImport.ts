/**
 * Imports the configuration of an account from an archive, line by line: settings, topics, contact fields, segments, templates,
 * flows, stores and webhooks. Each line is validated like a call that creates the record. Existing records are updated if
 * possible, and never deleted.
 *
 * @module
 */
import { versionOf } from "../model/Template.ts"
import { Clock, Context, Effect, Layer, Result } from "effect"
import type { Actor } from "../model/Actor.ts"
import { editedBy } from "../model/Edited.ts"
import { Accounts } from "../accounts/Accounts.ts"
import { maxFields } from "../model/ContactField.ts"
import { isKey, fieldKeyError } from "../audience/fields/FieldRules.ts"
import { maxSegments, type Segment } from "../model/Segment.ts"
import { parseDefinition } from "../audience/segments/SegmentRules.ts"
import { maxStores, type Store, storePurpose } from "../model/Store.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { ConnectedStores } from "../ports/ConnectedStores.ts"
import { ContactFieldStore } from "../ports/ContactFieldStore.ts"
import { Crypto } from "../ports/Crypto.ts"
import { SecretBox } from "../ports/SecretBox.ts"
import { SegmentStore } from "../ports/SegmentStore.ts"
import { TemplateStore } from "../ports/TemplateStore.ts"
import { TopicStore } from "../ports/TopicStore.ts"
import { WebhookClient } from "../ports/WebhookClient.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { withAllAhead } from "../sending/templates/RendersAhead.ts"
import { TemplateCheck } from "../sending/templates/TemplateRules.ts"
import { maxTemplates } from "../sending/templates/Templates.ts"
import { toHex } from "../shared/Bytes.ts"
import { Atomically } from "../kernel/atomically.ts"
import { refuseOn } from "../kernel/Conflicts.ts"
import { parseCurrency } from "../shared/Currency.ts"
import { parseDomain } from "../shared/EmailAddress.ts"
import { Ids } from "../kernel/Ids.ts"
import { Problem, type Unavailable, valueDetail } from "../shared/Problem.ts"
import { deepEqual } from "../shared/Json.ts"
import { SigningKeys } from "../webhooks/SigningKeys.ts"
import { maxActiveWebhooks, type Webhook, webhookEventTypes } from "../model/Webhook.ts"
import type { ArchiveLine, LineOf } from "./ArchiveLine.ts"
import type { LineChange } from "./ContactMerge.ts"
import { FlowImport } from "./FlowImport.ts"

const secretBytes = 32

/** Imports the configuration of accounts. */
export class SetupImport extends Context.Service<SetupImport>()("svc/archive/SetupImport", {
  make: Effect.gen(function* () {
    const accounts = yield* Accounts
    const accountStore = yield* AccountStore
    const box = yield* SecretBox
    const client = yield* WebhookClient
    const connected = yield* ConnectedStores
    const crypto = yield* Crypto
    const fields = yield* ContactFieldStore
    const flowImport = yield* FlowImport
    const ids = yield* Ids
    const keys = yield* SigningKeys
    const segments = yield* SegmentStore
    const templates = yield* TemplateStore
    const { check: checkTemplate } = yield* TemplateCheck
    const topics = yield* TopicStore
    const atomically = yield* Atomically
    const webhooks = yield* WebhookStore

    /** The id from the archive, or a new one if another record has it. */
    const freeId = (wanted: string, others: ReadonlyArray<{ readonly id: string }>) =>
      others.some(({ id }) => id === wanted) ? ids.next : Effect.succeed(wanted)

    const settings = Effect.fnUntraced(function* (accountId: string, line: LineOf<"settings">, actor: Actor) {
      const { delivery: _delivery, kind: _kind, pools: _pools, ...wanted } = line
      const before = yield* accounts.get(accountId)
      // The contact fields that the settings name come later in the archive.
      const after = yield* accounts.changeSettings(accountId, wanted, actor, { isArchive: true })
      return deepEqual(before.settings, after.settings) ? "unchanged" : "changed"
    })

    const topic = Effect.fnUntraced(function* (accountId: string, line: LineOf<"topic">) {
      const { kind: _kind, ...wanted } = line
      if (!isKey(line.key)) return yield* Problem.of("topics.key_invalid", "key", null, valueDetail(line.key))
      if (line.name.trim() === "") return yield* Problem.of("validation.required", "name")
      const all = yield* topics.list(accountId)
      const before = all.find(({ key }) => key === line.key)
      if (before === undefined) {
        yield* topics.insert({ ...wanted, accountId, id: yield* freeId(line.id, all) })
        return "added"
      }
      const { description, isArchived, name } = line
      const changed = { ...before, name, description, isArchived }
      if (deepEqual(before, changed)) return "unchanged"
      yield* topics.save(changed)
      return "changed"
    })

    const field = Effect.fnUntraced(function* (accountId: string, line: LineOf<"field">) {
      const { kind: _kind, ...wanted } = line
      const code = fieldKeyError(line.key)
      if (code !== undefined) return yield* Problem.of(code, "key", null, valueDetail(line.key))
      const all = yield* fields.list(accountId)
      const before = all.find(({ key }) => key === line.key)
      if (before === undefined) {
        if (all.length >= maxFields) {
          return yield* Problem.of("audience.attribute_limit_reached", null, { max: maxFields })
        }
        yield* fields.insert(accountId, [{ ...wanted, accountId }])
        return "added"
      }
      if (before.type !== line.type) return yield* Problem.of("audience.attribute_type_mismatch", "type")
      const { archivedAt, description, label } = line
      const changed = { ...before, label, description, archivedAt }
      if (deepEqual(before, changed)) return "unchanged"
      yield* fields.save(changed)
      return "changed"
    })

    const segment = Effect.fnUntraced(function* (accountId: string, line: LineOf<"segment">, actor: Actor) {
      if (line.name.trim() === "") return yield* Problem.of("validation.required", "name")
      const scope = { fields: yield* fields.list(accountId), topics: yield* topics.list(accountId) }
      const parsed = yield* Effect.fromResult(parseDefinition(line.definition, scope))
      const all = yield* segments.list(accountId)
      const before = all.find(({ id }) => id === line.id)
      const { description, id, name } = line
      const now = yield* Clock.currentTimeMillis
      if (before === undefined) {
        if (all.length >= maxSegments) {
          return yield* Problem.of("segments.limit_reached", null, { max: maxSegments })
        }
        const { createdAt } = line
        const made = {
          id,
          accountId,
          name,
          description,
          definition: parsed.document,
          builtInKey: null,
          createdAt
        }
        yield* segments.insert({ ...made, ...editedBy(actor, now) })
        return "added"
      }
      const wanted: Segment = { ...before, name, description, definition: parsed.document }
      if (deepEqual(before, wanted)) return "unchanged"
      yield* segments.save({ ...wanted, ...editedBy(actor, now, before) })
      return "changed"
    })

    const template = Effect.fnUntraced(function* (accountId: string, line: LineOf<"template">, actor: Actor) {
      const { createdAt, format, html, id, name, preheader, source, subject, text, updatedAt } = line
      const [before] = yield* templates.find(accountId, [id])
      if (before !== undefined && before.updatedAt >= updatedAt) return "unchanged"
      const content = yield* checkTemplate({ name, subject, format, source, preheader, html, text }, null)
      if (before !== undefined) {
        const changed = { ...before, ...content, version: before.version + 1, ...editedBy(actor, updatedAt) }
        yield* templates.save(changed)
        yield* templates.addVersion(versionOf(changed))
        return "changed"
      }
      const { totalCount } = yield* templates.list(accountId, { page: 1, pageSize: 1 })
      if (totalCount >= maxTemplates) {
        return yield* Problem.of("sending.template_limit_reached", null, { max: maxTemplates })
      }
      const added = { id, accountId, version: 1, ...content, createdAt, ...editedBy(actor, updatedAt) }
      yield* templates.insert(added)
      yield* templates.addVersion(versionOf(added))
      return "added"
    })

    /** Adds a store as disconnected, with a new id. Connecting it creates its token and secret. */
    const store = Effect.fnUntraced(function* (accountId: string, line: LineOf<"store">) {
      const { connectedAt, consentMode, currency, domain, name, platform } = line
      if (parseDomain(domain) !== domain) return yield* Problem.of("validation.format", "domain")
      if (name.trim() === "") return yield* Problem.of("validation.required", "name")
      if (currency !== null && parseCurrency(currency) !== currency) {
        return yield* Problem.of("commerce.currency_invalid", "currency")
      }
      if ((yield* connected.ofDomain(accountId, platform, domain)) !== null) return "unchanged"
      if ((yield* connected.count(accountId)) >= maxStores) {
        return yield* Problem.of("commerce.store_limit_reached", null, { max: maxStores })
      }
      const id = yield* ids.next
      const unknownSecret = () => toHex(crypto.randomBytes(secretBytes))
      const made: Store = {
        id,
        accountId,
        platform,
        name,
        domain,
        consentMode,
        currency,
        tokenHash: crypto.sha256Hex(unknownSecret()),
        tokenDisplay: "",
        webhookSecret: yield* box.seal(unknownSecret(), storePurpose(id)),
        connectedAt,
        disconnectedAt: yield* Clock.currentTimeMillis
      }
      yield* connected.insert(made)
      return "added"
    })

    /** Adds a webhook with a new secret, which is shown when it is rotated. */
    const webhook = Effect.fnUntraced(function* (accountId: string, line: LineOf<"webhook">) {
      const { createdAt, description, events, id, status, stoppedReason, url } = line
      const ref = { accountId, webhookId: id }
      if ((yield* webhooks.find([ref])).length > 0) return "unchanged"
      if (!client.accepts(url)) return yield* Problem.of("webhooks.url_invalid", "url")
      const known = webhookEventTypes.filter((type) => events.includes(type))
      if (known.length !== events.length) return yield* Problem.of("webhooks.event_unknown", "events")
      const { sealed } = yield* keys.make(ref)
      const made: Webhook = {
        id,
        accountId,
        url,
        events: known,
        fields: line.fields ?? [],
        description,
        secrets: [{ sealed, until: null }],
        status,
        stoppedReason,
        failuresInARow: 0,
        createdAt
      }
      yield* webhooks.insert(made, maxActiveWebhooks)
      return "added"
    })

    /** Runs work in a transaction that locks the account. */
    const locked = <A, E>(accountId: string, work: Effect.Effect<A, E>) =>
      withAllAhead(atomically(Effect.andThen(accountStore.lock([accountId]), work)))

    const tooManyWebhooks = () => Problem.of("webhooks.limit_reached", null, { max: maxActiveWebhooks })

    const importLine = (
      accountId: string,
      line: ArchiveLine,
      actor: Actor
    ): Effect.Effect<LineChange, Problem | Unavailable> => {
      switch (line.kind) {
        case "settings":
          return settings(accountId, line, actor)
        case "topic":
          return locked(accountId, topic(accountId, line))
        case "field":
          return locked(accountId, field(accountId, line))
        case "segment":
          return locked(accountId, segment(accountId, line, actor))
        case "template":
          return locked(accountId, template(accountId, line, actor))
        case "flow":
          return locked(accountId, flowImport.merge(accountId, line, actor))
        case "store":
          return locked(accountId, store(accountId, line))
        case "webhook":
          return locked(accountId, refuseOn("webhooks_active", tooManyWebhooks)(webhook(accountId, line)))
        default:
          return Effect.fail(Problem.of("archive.line_invalid"))
      }
    }

    return {
      /** Imports lines in order, each in its own transaction; returns their outcomes in the same order. */
      importLines: Effect.fn("SetupImport.importLines")(
        (accountId: string, lines: ReadonlyArray<ArchiveLine>, actor: Actor) =>
          Effect.forEach(lines, (line) =>
            importLine(accountId, line, actor).pipe(
              Effect.map(Result.succeed),
              Effect.catchTag("Problem", (problem) => Effect.succeed(Result.fail(problem)))
            )
          )
      )
    }
  })
}) {
  static readonly layer = Layer.effect(SetupImport, SetupImport.make).pipe(Layer.provide(FlowImport.layer))
}
