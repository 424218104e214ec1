/**
 * Secrets are compared by one function, whose time tells nothing of them (CWE-208). Comparisons are found in the syntax
 * trees: one whose side is named as a secret is makes a test fail, unless it is listed here with its reason.
 *
 * @module
 */
import { Context, Effect, Layer } from "effect"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { layer } from "../adapters/crypto/Crypto.ts"
import { Crypto } from "../core/ports/Crypto.ts"
import { type Source, serviceSources, type SyntaxNode, walk } from "./support/sources.ts"

const secret = /token|secret|signature|password|digest|hmac|hash|\bmac|Mac\b|apiKey|bearer/i
const operators: ReadonlyArray<unknown> = ["===", "!==", "==", "!="]
const methods: ReadonlyArray<unknown> = [
  "equals",
  "compare",
  "localeCompare",
  "startsWith",
  "endsWith",
  "includes"
]

const sources = serviceSources()

/** What is compared by an expression; empty where it compares nothing. */
const sidesOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> => {
  if (node.type === "BinaryExpression" && operators.includes(node["operator"])) {
    return [node["left"], node["right"]] as ReadonlyArray<SyntaxNode>
  }
  const callee = node["callee"] as SyntaxNode | undefined
  if (node.type !== "CallExpression" || callee?.type !== "MemberExpression") return []
  const { object, property } = callee as unknown as {
    readonly object: SyntaxNode
    readonly property: SyntaxNode
  }
  return methods.includes(property["name"])
    ? [object, ...(node["arguments"] as ReadonlyArray<SyntaxNode>)]
    : []
}

const isPlain = (node: SyntaxNode): boolean =>
  node.type === "Literal" || (node.type === "Identifier" && node["name"] === "undefined")

const comparisonsIn = ({ path, program, text }: Source): ReadonlyArray<string> =>
  [...walk(program)].flatMap(([node]) => {
    const sides = sidesOf(node)
    const names = sides.map(({ end, start }) => text.slice(start, end))
    const tells = sides.some(isPlain) || names.every((name) => !secret.test(name))
    return tells ? [] : [`${path}: ${text.slice(node.start, node.end)}`]
  })

/** Comparisons of what is named like a secret and is none. */
const excepted = [
  // Of the beginnings of keys, which tell their kinds.
  "adapters/http/edge/guard.ts: token.startsWith(prefix)",
  "adapters/http/edge/guard.ts: token.startsWith(prefix)",
  "adapters/http/edge/guard.ts: wanted === flowTokens",
  // Of the names of fields.
  "adapters/http/operation/relays.ts: feedbackSecrets.includes(name)",
  // Of hashes and ids that name content.
  "adapters/memory/ContentStore.ts: stored.get(hash)?.id === id",
  // Of digests of two reports whose signatures were verified, to see whether they are the same.
  "adapters/memory/RelayStore.ts: stored.digest === token.digest",
  // Of one stored hash with itself later, to see whether another call was first.
  "adapters/memory/SessionStore.ts: session?.hash !== before",
  // Of digests that tell whether data is complete.
  'adapters/postgres/transfer/BackupFile.ts: fields["hash"] === hashOf(fields)',
  "adapters/postgres/transfer/Digest.ts: one.hash === other.hash",
  "adapters/postgres/transfer/index.ts: entry.hash !== digest.hash",
  "adapters/postgres/transfer/index.ts: entry.rows !== digest.rows",
  // Of lengths, which the format tells.
  "core/accounts/KeyRing.ts: signature.length === encodedLength(bytes)",
  // Of what was approved, to see whether the campaign is still that.
  "core/campaigns/CampaignRules.ts: approved !== digest",
  // Of the hash of content, to see whether it is as it was stored.
  "core/images/Images.ts: crypto.sha256Hex(content) === image.hash",
  "core/sending/contents/EmailContents.ts: crypto.sha256Hex(bytes) !== hash",
  // Of what an email says, by the caller who sent it twice.
  "core/sending/emails/Emails.ts: submission.contentDigest !== email.contentDigest",
  // Of sealed texts, to see whether a relay changed.
  "core/sending/relays/RelayRouting.ts: before?.secrets === relay.secrets",
  // Of the names of fields.
  "core/sending/relays/RelayRules.ts: secretNames.has(field as FeedbackName) === isSecret",
  // Of what one caller sent, to hide more of it.
  "core/sending/relays/RelayUrl.ts: username === password",
  // Of what a relay has with what it is changed to, by those who may change it.
  "core/sending/relays/Relays.ts: settings.secrets.url !== secrets.url",
  // Of the hash of content with that of the same content before, both not of a caller's.
  "core/sending/templates/SentContent.ts: shown.contentHash === sent.contentHash",
  // Of hashes, whose equality a caller cannot approach digit by digit.
  "core/users/Factors.ts: one !== hash",
  "core/users/Factors.ts: user.recoveryCodes.includes(hash)",
  // Of one stored hash with itself later, to see whether the password was changed meanwhile.
  "core/users/SignIn.ts: user?.passwordHash === before",
  // Of the time of a call, to see whether it was this one that revoked.
  "core/users/Tokens.ts: token.revokedAt !== now"
]

const users = (name: string) =>
  sources.filter(({ text }) => new RegExp(`\\b${name}\\(`).test(text)).map(({ path }) => path)

it("no secret is compared but by the one function", () => {
  expect(sources.flatMap(comparisonsIn).toSorted()).toEqual(excepted)
})

it("the one function is used where secrets come in", () => {
  expect(users("timingSafeEqual").toSorted()).toEqual([
    "adapters/crypto/Crypto.ts",
    "adapters/crypto/PasswordHasher.ts"
  ])
  expect(users("constantTimeEquals").toSorted()).toEqual([
    "core/accounts/Bootstrap.ts",
    "core/accounts/KeyRing.ts",
    "core/audience/pages/ContactLinks.ts",
    "core/commerce/stores/Stores.ts",
    "core/sending/delivery/ReturnPath.ts",
    "core/sending/feedback/FeedbackSignatures.ts",
    "core/users/CallerAuthentication.ts"
  ])
})

it("the one function tells equal texts from others, whatever their lengths", async () => {
  const crypto = Context.get(await Effect.runPromise(Effect.scoped(Layer.build(layer))), Crypto)
  const text = fc.string({ unit: "binary" })
  fc.assert(
    fc.property(text, text, (a, b) => {
      // A text that is not well-formed is its UTF-8, in which all lone surrogates are one.
      expect(crypto.constantTimeEquals(a, b)).toBe(a.toWellFormed() === b.toWellFormed())
      expect(crypto.constantTimeEquals(a, `${a}`)).toBe(true)
    })
  )
})
