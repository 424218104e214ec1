/**
 * The environment of the simulated service: mail servers, webhook receivers and name servers whose behaviour is derived from a
 * seed, and storage in memory whose rows can be read.
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
import type { Model } from "./Model.ts"

/** A message that was sent, and its outcome. */
export interface Sent {
  readonly message: OutboundMessage
  readonly outcome: Outcome["_tag"]
}

/** The HTTP status with which a webhook's address responds to a notification at a time. */
export type Responder = (now: number, id: string) => number

const encoder = new TextEncoder()

/** A number from 0 to less than 1, derived from a string. */
export const fractionOf = (input: string): number =>
  createHash("sha256").update(input).digest().readUInt32BE(0) / 2 ** 32

/** The hours, counted from the first one, in which the provider `relayed.example` accepts no mail. */
const troubled = { from: 18 * 24, to: 19 * 24 }

/** The outcome of an attempt. An address that does not exist always bounces; the rest is random. */
const outcomeOf = (seed: string, { attempts, deliveryId, recipient }: OutboundMessage): Outcome => {
  if (fractionOf(`${seed} bounces ${recipient}`) < 0.02) return { _tag: "Bounced" }
  const chance = fractionOf(`${seed} ${deliveryId} ${attempts}`)
  // Greylisting servers accept later attempts; other servers defer rarely.
  if (chance < (recipient.endsWith("@grey.example") ? 0.6 : 0.05)) return { _tag: "Deferred" }
  if (chance > 0.995) return { _tag: "Refused" }
  if (chance > 0.99) return { _tag: "Unknown" }
  return { _tag: recipient.endsWith("@relayed.example") ? "Accepted" : "Delivered" }
}

/** Composes messages as plain text, because signatures are not part of the simulation. */
export const composer = MessageComposer.of({
  signedMessageId: () => Effect.succeed(null),
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

/** Makes key pairs with which nothing is signed. */
export const keyMaker = KeyMaker.of({
  make: (algorithm) => Effect.succeed({ publicKey: `${algorithm}Key`, privateKey: `private ${algorithm}` })
})

/** Storage in memory that checks every change of a delivery's status against the table of states. */
const checkedStorage = (database: Context.Context<Database>, model: Model) => {
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
                  model.fault(`delivery ${id} went from ${before} to ${status}`)
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
    /** The number of deliveries whose status changed. */
    moved: () => known.size
  }
}

/** Makes the environment of a service. */
export const makeEnvironment = async (seed: string, model: Model, now: () => number) => {
  const database = await Effect.runPromise(Effect.scoped(Layer.build(Layer.fresh(Database.layer))))
  const store = checkedStorage(database, model)
  const startedAt = now()
  const sent: Array<Sent> = []
  const mail = createHash("sha256")
  let departed = 0
  const transport = MailTransport.of({
    busyUntil: () => null,
    send: Effect.fnUntraced(function* (message, pointOfNoReturn) {
      const hours = (now() - startedAt) / 3_600_000
      const isTroubled =
        message.recipient.endsWith("@relayed.example") && hours >= troubled.from && hours < troubled.to
      const outcome: Outcome = isTroubled ? { _tag: "Deferred" } : outcomeOf(seed, message)
      model.tried(message, now())
      if (outcome._tag === "Deferred") {
        model.left(message, outcome, now())
        return outcome
      }
      if (!(yield* pointOfNoReturn)) return { _tag: "Withdrawn" } as const
      departed++
      model.leaves(message, now())
      mail.update(`${now()} ${message.deliveryId} ${message.returnPath} ${message.recipient}\n`)
      mail.update(message.raw)
      sent.push({ message, outcome: outcome._tag })
      model.left(message, outcome, now())
      return outcome
    })
  })

  const responders = new Map<string, Responder>()
  let posts = 0
  const webhookClient = WebhookClient.of({
    accepts: () => true,
    post: ({ body, headers, url }) =>
      Effect.sync(() => {
        posts++
        const id = headers["webhook-id"] ?? ""
        model.notified(url, id, String(body))
        mail.update(`${now()} ${url} ${JSON.stringify(headers)} ${body}\n`)
        const httpStatus = responders.get(url)?.(now(), id) ?? 204
        model.responded(url, httpStatus)
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
    /** Returns the messages sent since the last call. */
    takeSent: (): ReadonlyArray<Sent> => sent.splice(0),
    /** Sets how a webhook's address responds. */
    respond: (url: string, how: Responder) => responders.set(url, how),
    /** Records that a webhook was added, possibly again. */
    added: (url: string) => model.added(url),
    /** Replaces the records of the name servers. */
    publish: (published: Domain["records"]) => {
      records = published
    },
    /** All rows of each table. */
    tables: (): ReadonlyArray<Iterable<object>> =>
      Context.get(database, Database).tables.map((table) => table.rows()),
    counts: () => ({ departed, posts, moved: store.moved() }),
    /** A digest of all mail and webhook requests so far. */
    mailDigest: () => mail.copy().digest("hex")
  }
}

export type Environment = Awaited<ReturnType<typeof makeEnvironment>>
