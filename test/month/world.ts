/**
 * The world around a service whose month is lived: mail servers, receivers of webhooks and name servers that do as a
 * seed says, and a store in memory that can be looked at as a whole.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { Database } from "../../adapters/memory/engine/Database.ts"
import * as Memory from "../../adapters/memory/index.ts"
import { Dns, DnsMissing } from "../../core/ports/Dns.ts"
import { KeyMaker } from "../../core/ports/KeyMaker.ts"
import { MailTransport } from "../../core/ports/MailTransport.ts"
import { MessageComposer } from "../../core/ports/MessageComposer.ts"
import { SubmissionStore } from "../../core/ports/SubmissionStore.ts"
import { WebhookClient } from "../../core/ports/WebhookClient.ts"
import { canMove, type DeliveryStatus } from "../../core/model/DeliveryStatus.ts"
import type { OutboundMessage, Outcome } from "../../core/model/Message.ts"
import type { Domain } from "../support/liveDomain.ts"
import type { Ledger } from "./Ledger.ts"

/** A message that left, and what was answered. */
export interface Carried {
  readonly message: OutboundMessage
  readonly outcome: Outcome["_tag"]
}

/** How a webhook's address answers a notification at a time. */
export type Answering = (now: number, id: string) => number

const encoder = new TextEncoder()

/** A number from 0 on and less than 1 that follows from a text. */
export const fateOf = (text: string): number =>
  createHash("sha256").update(text).digest().readUInt32BE(0) / 2 ** 32

/** What a mail server answers: addresses that do not exist bounce always, the rest is chance. */
const outcomeOf = (seed: string, { attempts, deliveryId, recipient }: OutboundMessage): Outcome => {
  if (fateOf(`${seed} bounces ${recipient}`) < 0.02) return { _tag: "Bounced" }
  const chance = fateOf(`${seed} ${deliveryId} ${attempts}`)
  // A greylist lets by who comes again; a server that is down stays so.
  if (chance < (recipient.endsWith("@grey.example") ? 0.6 : 0.05)) return { _tag: "Deferred" }
  if (chance > 0.995) return { _tag: "Refused" }
  if (chance > 0.99) return { _tag: "Unknown" }
  return { _tag: recipient.endsWith("@relayed.example") ? "Accepted" : "Delivered" }
}

/** The message as plain text: what is signed, and how, is not what a month is about. */
const composer = MessageComposer.of({
  compose: (drafts) =>
    Effect.sync(() =>
      drafts.map(({ date, from, headers, html, messageId, subject, text, to }) =>
        encoder.encode(
          [
            `From: ${from.email}`,
            `To: ${to.map(({ email }) => email).join(", ")}`,
            `Subject: ${subject}`,
            `Message-ID: <${messageId}>`,
            `Date: ${new Date(date).toUTCString()}`,
            ...headers.map(({ name, value }) => `${name}: ${value}`),
            "",
            html ?? "",
            text ?? ""
          ].join("\r\n")
        )
      )
    )
})

/** Key pairs that sign nothing. */
const keyMaker = KeyMaker.of({
  make: (algorithm) => Effect.succeed({ publicKey: `${algorithm}Key`, privateKey: `private ${algorithm}` })
})

/** The ports of a store in memory, each move of a delivery held against the table of states. */
const watchedStore = (database: Context.Context<Database>, ledger: Ledger) => {
  const known = new Map<string, DeliveryStatus>()
  const watched = Layer.effect(
    SubmissionStore,
    Effect.map(SubmissionStore, (store) =>
      SubmissionStore.of({
        ...store,
        move: (moves) =>
          Effect.tap(store.move(moves), (moved) =>
            Effect.sync(() => {
              for (const { id, status } of moved) {
                const before = known.get(id) ?? "Queued"
                if (before !== status && !canMove(before, status))
                  ledger.fault(`delivery ${id} went from ${before} to ${status}`)
                known.set(id, status)
              }
            })
          )
      })
    )
  )
  return {
    ports: Layer.merge(Memory.layerOver, watched.pipe(Layer.provide(Memory.layerOver))).pipe(
      Layer.provide(Layer.succeedContext(database))
    ),
    /** How many deliveries were seen moving. */
    moved: () => known.size
  }
}

/** Makes a world. */
export const makeWorld = async (seed: string, ledger: Ledger, now: () => number) => {
  const database = await Effect.runPromise(Effect.scoped(Layer.build(Layer.fresh(Database.layer))))
  const store = watchedStore(database, ledger)
  const carried: Array<Carried> = []
  const mail = createHash("sha256")
  let departed = 0
  const transport = MailTransport.of({
    busyUntil: () => null,
    send: Effect.fnUntraced(function* (message, pointOfNoReturn) {
      const outcome = outcomeOf(seed, message)
      ledger.tried(message, now())
      if (outcome._tag === "Deferred") {
        ledger.left(message, outcome, now())
        return outcome
      }
      if (!(yield* pointOfNoReturn)) return { _tag: "Withdrawn" } as const
      departed++
      ledger.leaves(message, now())
      mail.update(`${now()} ${message.deliveryId} ${message.returnPath} ${message.recipient}\n`)
      mail.update(message.raw)
      carried.push({ message, outcome: outcome._tag })
      ledger.left(message, outcome, now())
      return outcome
    })
  })

  const answering = new Map<string, Answering>()
  let posts = 0
  const webhookClient = WebhookClient.of({
    accepts: () => true,
    post: ({ body, headers, url }) =>
      Effect.sync(() => {
        posts++
        const id = headers["webhook-id"] ?? ""
        ledger.told(url, id, body)
        mail.update(`${now()} ${url} ${JSON.stringify(headers)} ${body}\n`)
        const httpStatus = answering.get(url)?.(now(), id) ?? 204
        ledger.answered(url, httpStatus)
        return { httpStatus, error: null, durationMs: 5, answer: null }
      })
  })

  let records: Domain["records"] = []
  const missing = (name: string) => Effect.fail(new DnsMissing({ name }))
  const valuesOf = (type: string, name: string) =>
    records.filter((record) => record.type === type && record.name === name).map(({ value }) => value)
  const dns = Dns.of({
    txt: (name) =>
      Effect.suspend(() => {
        const texts = valuesOf("TXT", name)
        return texts.length > 0 ? Effect.succeed(texts) : missing(name)
      }),
    mx: (name) =>
      Effect.suspend(() => {
        const found = valuesOf("MX", name).map((value) => ({
          preference: 10,
          exchange: value.split(" ")[1]!
        }))
        return found.length > 0 ? Effect.succeed(found) : missing(name)
      }),
    addresses: missing
  })

  return {
    transport,
    dns,
    ports: store.ports,
    replaced: Layer.mergeAll(
      Layer.succeed(MessageComposer, composer),
      Layer.succeed(KeyMaker, keyMaker),
      Layer.succeed(WebhookClient, webhookClient)
    ),
    /** What left since this was asked last. */
    taken: (): ReadonlyArray<Carried> => carried.splice(0),
    /** Says how a webhook's address answers. */
    answer: (url: string, how: Answering) => answering.set(url, how),
    /** A webhook was added, maybe where another was. */
    added: (url: string) => ledger.added(url),
    /** What the name servers know from now on. */
    publish: (published: Domain["records"]) => {
      records = published
    },
    /** Every row there is, of each table in turn. */
    tables: (): ReadonlyArray<Iterable<object>> =>
      Context.get(database, Database).tables.map((table) => table.rows()),
    counts: () => ({ departed, posts, moved: store.moved() }),
    /** Of all mail and all webhooks' requests so far. */
    mailDigest: () => mail.copy().digest("hex")
  }
}

/** A world. */
export type World = Awaited<ReturnType<typeof makeWorld>>
