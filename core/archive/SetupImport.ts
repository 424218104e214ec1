/**
 * Takes what an account is set up with from an archive, line by line: settings, topics, contact fields, segments,
 * templates, flows, stores and webhooks. Each by the rules of the use case that makes it; what is there already is changed
 * in what can change of it, and never removed.
 *
 * @module
 */
import { Clock, Effect } from "effect"
import { Accounts } from "../accounts/Accounts.ts"
import type { ContactField } from "../model/ContactField.ts"
import { maxFields } from "../model/ContactField.ts"
import { isKey, fieldKeyError } from "../audience/fields/FieldRules.ts"
import { maxSegments, type Segment } from "../model/Segment.ts"
import { parseDefinition } from "../audience/segments/SegmentRules.ts"
import type { Topic } from "../model/Topic.ts"
import { maxStores, type Store } from "../model/Store.ts"
import { AccountStore } from "../ports/AccountStore.ts"
import { ConnectedStores } from "../ports/ConnectedStores.ts"
import { ContactFieldStore } from "../ports/ContactFieldStore.ts"
import { Crypto } from "../ports/Crypto.ts"
import { SecretBox } from "../ports/SecretBox.ts"
import { SegmentStore } from "../ports/SegmentStore.ts"
import { TemplateStore } from "../ports/TemplateStore.ts"
import { TopicStore } from "../ports/TopicStore.ts"
import { Transaction } from "../ports/Transaction.ts"
import { WebhookClient } from "../ports/WebhookClient.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { makeTemplateCheck } from "../sending/templates/TemplateRules.ts"
import { maxTemplates } from "../sending/templates/Templates.ts"
import { toHex } from "../shared/Bytes.ts"
import { refuseOn, retryConflicts } from "../kernel/Conflicts.ts"
import { parseCurrency } from "../shared/Currency.ts"
import { parseDomain } from "../shared/EmailAddress.ts"
import { Ids } from "../kernel/Ids.ts"
import { Problem, type Unavailable } from "../shared/Problem.ts"
import { deepEqual } from "../shared/Same.ts"
import { makeSigningKeys } from "../webhooks/SigningKeys.ts"
import { maxActiveWebhooks, type Webhook, webhookEventTypes } from "../model/Webhook.ts"
import type { ArchiveLine, LineOf } from "./ArchiveLine.ts"
import type { Outcome } from "./ContactMerge.ts"
import { makeFlowImport } from "./FlowImport.ts"

const secretBytes = 32

/** A function that takes such lines in order; answers their outcomes. */
export const makeSetupImport = Effect.gen(function* () {
  const accounts = yield* Accounts
  const accountStore = yield* AccountStore
  const box = yield* SecretBox
  const client = yield* WebhookClient
  const connected = yield* ConnectedStores
  const crypto = yield* Crypto
  const fields = yield* ContactFieldStore
  const flow = yield* makeFlowImport
  const ids = yield* Ids
  const keys = yield* makeSigningKeys
  const segments = yield* SegmentStore
  const templates = yield* TemplateStore
  const checkTemplate = yield* makeTemplateCheck
  const topics = yield* TopicStore
  const transaction = yield* Transaction
  const webhooks = yield* WebhookStore

  /** A new id where the archive's is another's already. */
  const freeId = (wanted: string, others: ReadonlyArray<{ readonly id: string }>) =>
    others.some(({ id }) => id === wanted) ? ids.next : Effect.succeed(wanted)

  const settings = Effect.fnUntraced(function* (accountId: string, line: LineOf<"settings">, actor: string) {
    const { kind: _kind, ...wanted } = line
    const before = yield* accounts.get(accountId)
    const after = yield* accounts.changeSettings(accountId, wanted, actor)
    return deepEqual(before.settings, after) ? "unchanged" : "changed"
  })

  const topic = Effect.fnUntraced(function* (accountId: string, line: LineOf<"topic">) {
    const { kind: _kind, ...wanted } = line
    if (!isKey(line.key)) return yield* Problem.of("topics.key_invalid", "key")
    if (line.name.trim() === "") return yield* Problem.of("validation.required", "name")
    const all = yield* topics.list(accountId)
    const before = all.find(({ key }) => key === line.key)
    if (before === undefined) {
      yield* topics.insert({ ...wanted, accountId, id: yield* freeId(line.id, all) })
      return "added"
    }
    const changeable = ({
      description,
      isArchived,
      name
    }: Pick<Topic, "description" | "isArchived" | "name">) => ({
      name,
      description,
      isArchived
    })
    if (deepEqual(changeable(before), changeable(line))) return "unchanged"
    yield* topics.save({ ...before, ...changeable(line) })
    return "changed"
  })

  const field = Effect.fnUntraced(function* (accountId: string, line: LineOf<"field">) {
    const { kind: _kind, ...wanted } = line
    const refusal = fieldKeyError(line.key)
    if (refusal !== undefined) return yield* Problem.of(refusal, "key")
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
    const changeable = ({
      archivedAt,
      description,
      label
    }: Pick<ContactField, "archivedAt" | "description" | "label">) => ({
      label,
      description,
      archivedAt
    })
    if (deepEqual(changeable(before), changeable(line))) return "unchanged"
    yield* fields.save({ ...before, ...changeable(line) })
    return "changed"
  })

  const segment = Effect.fnUntraced(function* (accountId: string, line: LineOf<"segment">) {
    if (line.name.trim() === "") return yield* Problem.of("validation.required", "name")
    const scope = { fields: yield* fields.list(accountId), topics: yield* topics.list(accountId) }
    const parsed = yield* Effect.fromResult(parseDefinition(line.definition, scope))
    const all = yield* segments.list(accountId)
    const before = all.find(({ id }) => id === line.id)
    const wanted: Segment = {
      id: line.id,
      accountId,
      name: line.name,
      description: line.description,
      definition: parsed.document,
      builtInKey: null,
      createdAt: before?.createdAt ?? line.createdAt
    }
    if (before === undefined) {
      if (all.length >= maxSegments) {
        return yield* Problem.of("segments.limit_reached", null, { max: maxSegments })
      }
      yield* segments.insert(wanted)
      return "added"
    }
    if (deepEqual(before, wanted)) return "unchanged"
    yield* segments.save(wanted)
    return "changed"
  })

  const template = Effect.fnUntraced(function* (accountId: string, line: LineOf<"template">) {
    const { createdAt, html, id, name, subject, text, updatedAt } = line
    const [before] = yield* templates.find(accountId, [id])
    if (before !== undefined && before.updatedAt >= updatedAt) return "unchanged"
    const content = yield* checkTemplate({ name, subject, html, text }, null)
    if (before !== undefined) {
      yield* templates.save({ ...before, ...content, updatedAt })
      return "changed"
    }
    const { totalCount } = yield* templates.list(accountId, { page: 1, pageSize: 1 })
    if (totalCount >= maxTemplates) {
      return yield* Problem.of("sending.template_limit_reached", null, { max: maxTemplates })
    }
    yield* templates.insert({ id, accountId, ...content, createdAt, updatedAt })
    return "added"
  })

  /** A store is taken disconnected, under an id of its own: connecting it makes its token and secret. */
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
    const nobody = () => toHex(crypto.randomBytes(secretBytes))
    const made: Store = {
      id,
      accountId,
      platform,
      name,
      domain,
      consentMode,
      currency,
      tokenHash: crypto.sha256Hex(nobody()),
      tokenDisplay: "",
      webhookSecret: yield* box.seal(nobody(), `store ${id}`),
      connectedAt,
      disconnectedAt: yield* Clock.currentTimeMillis
    }
    yield* connected.insert(made)
    return "added"
  })

  /** A webhook is taken with a new secret: its receiver learns it when it is rotated. */
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

  const takeOne = (
    accountId: string,
    line: ArchiveLine,
    actor: string
  ): Effect.Effect<Outcome, Problem | Unavailable> => {
    const locked = <A, E>(work: Effect.Effect<A, E>) =>
      retryConflicts(transaction.run(Effect.andThen(accountStore.lock([accountId]), work)))
    switch (line.kind) {
      case "settings":
        return settings(accountId, line, actor)
      case "topic":
        return locked(topic(accountId, line))
      case "field":
        return locked(field(accountId, line))
      case "segment":
        return locked(segment(accountId, line))
      case "template":
        return locked(template(accountId, line))
      case "flow":
        return locked(flow(accountId, line))
      case "store":
        return locked(store(accountId, line))
      case "webhook": {
        const full = () => Problem.of("webhooks.limit_reached", null, { max: maxActiveWebhooks })
        const taking = transaction.run(
          Effect.andThen(accountStore.lock([accountId]), webhook(accountId, line))
        )
        return retryConflicts(refuseOn("webhooks_active", full)(taking))
      }
      default:
        return Effect.fail(Problem.of("archive.line_invalid"))
    }
  }

  return (
    accountId: string,
    lines: ReadonlyArray<ArchiveLine>,
    actor: string
  ): Effect.Effect<ReadonlyArray<Outcome>, Unavailable> =>
    Effect.forEach(lines, (line) =>
      Effect.catchTag(takeOne(accountId, line, actor), "Problem", (problem) =>
        Effect.succeed<Outcome>(problem)
      )
    )
})
