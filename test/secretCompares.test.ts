/**
 * Tests that secrets are compared by a single function whose duration reveals nothing about them (CWE-208). Comparisons are found
 * in the syntax trees. A comparison with a side named like a secret fails the test, unless it is listed here with its reason.
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

/** The two sides of a comparison; empty for any other expression. */
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

/** Comparisons of values that are named like a secret but are none. */
const excepted = [
  // Compares prefixes of keys, which identify their kinds.
  "adapters/http/edge/guard.ts: token.startsWith(prefix)",
  "adapters/http/edge/guard.ts: token.startsWith(prefix)",
  "adapters/http/edge/guard.ts: wanted === flowTokens",
  // Compares names of fields.
  "adapters/http/operation/relays.ts: feedbackSecrets.includes(name)",
  // Compares hashes and ids that identify content.
  "adapters/memory/ContentStore.ts: stored.get(hash)?.id === id",
  // Compares digests of two reports whose signatures were verified, to find out whether they are the same.
  "adapters/memory/RelayStore.ts: stored.digest === token.digest",
  // Compares a stored hash with its later value, to detect another call.
  "adapters/memory/SessionStore.ts: session?.hash !== before",
  // Compares digests that show whether data is complete.
  'adapters/postgres/transfer/BackupFile.ts: fields["hash"] === hashOf(fields)',
  "adapters/postgres/transfer/Digest.ts: one.hash === other.hash",
  "adapters/postgres/transfer/index.ts: entry.hash !== digest.hash",
  "adapters/postgres/transfer/index.ts: entry.rows !== digest.rows",
  // Compares lengths, which the format determines.
  "core/accounts/KeyRing.ts: signature.length === encodedLength(bytes)",
  // Compares with what was approved, to find out whether the campaign has changed.
  "core/campaigns/CampaignRules.ts: approved !== digest",
  // Compares hashes of content, to find out whether it is as it was stored.
  "core/images/Images.ts: crypto.sha256Hex(content) === image.hash",
  "core/sending/contents/EmailContents.ts: crypto.sha256Hex(bytes) !== hash",
  // Compares the content of two emails sent by the same caller.
  "core/sending/emails/Emails.ts: submission.contentDigest !== email.contentDigest",
  // Compares sealed strings, to find out whether a relay changed.
  "core/sending/relays/RelayRouting.ts: before?.secrets === relay.secrets",
  // Compares names of fields.
  "core/sending/relays/RelayRules.ts: secretNames.has(field as FeedbackName) === isSecret",
  // Compares two values from the same caller, to hide both.
  "core/sending/relays/RelayUrl.ts: username === password",
  // Compares a relay's settings with the new ones, for callers who may change them.
  "core/sending/relays/Relays.ts: settings.secrets.url !== secrets.url",
  // Compares hashes of the same content at different times; neither comes from a caller.
  "core/sending/templates/SentContent.ts: shown.contentHash === sent.contentHash",
  // Compares hashes, which a caller cannot guess digit by digit.
  "core/users/Factors.ts: one !== hash",
  "core/users/Factors.ts: user.recoveryCodes.includes(hash)",
  // Compares a stored hash with its later value, to detect a change of the password.
  "core/users/SignIn.ts: current.passwordHash === proven.passwordHash",
  "core/users/SignIn.ts: user?.passwordHash !== proven.passwordHash",
  // Compares with the time of the call, to find out whether this call revoked the token.
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
      // A string that is not well-formed is compared by its UTF-8, in which all lone surrogates are equal.
      expect(crypto.constantTimeEquals(a, b)).toBe(a.toWellFormed() === b.toWellFormed())
      expect(crypto.constantTimeEquals(a, `${a}`)).toBe(true)
    })
  )
})
