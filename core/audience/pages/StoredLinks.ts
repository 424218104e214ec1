/**
 * Replaces the signatures of contacts' links in stored text, so that a link read in a stored email in the database is not valid.
 * The links are signed again when the email is sent.
 *
 * @module
 */
import { isSignedBy, type KeyRing, signaturePattern, signWith } from "../../accounts/KeyRing.ts"
import { includesAscii, type LongText, stringOf } from "../../model/LongText.ts"
import type { UnloadedSubmission } from "../../model/Submission.ts"
import type { Crypto } from "../../ports/Crypto.ts"
import { fromHex, toBase64Url } from "../../shared/Bytes.ts"
import { claimPattern, type SignedPurpose, signedText } from "./ContactLinks.ts"

/** Replaces links in a text; returns the same text if there are none. */
export type ReplaceLinks = <Text extends LongText>(text: Text) => Text | string

type SignedText = (purpose: SignedPurpose, claim: string) => string

/** The signatures that a replacement looks for, each with the one that replaces it. */
type Replacements = ReadonlyArray<readonly [from: SignedText, to: SignedText]>

const purposes: ReadonlyArray<SignedPurpose> = ["confirm", "preferences", "unsubscribe", "webVersion"]

/** What the signature of a stored link covers. No page accepts it. */
const storedText: SignedText = (purpose, claim) => `stored ${signedText(purpose, claim)}`

/** What the signature of a permanently invalid link covers. No page accepts it, and no email that is sent contains it. */
const voidText: SignedText = (purpose, claim) => `void ${signedText(purpose, claim)}`

/** The most tokens of the account that are examined in one text, which bounds the work for a hostile one. */
const maxTokens = 100

/** The characters of a claim that are determined by the first 15 of the 16 bytes of its account's id. */
const accountLength = 20

const replaceTokens = (
  crypto: Crypto["Service"],
  ring: KeyRing,
  accountId: string,
  replacements: Replacements
): ReplaceLinks => {
  const account = toBase64Url(fromHex(accountId.replaceAll("-", ""))).slice(0, accountLength)
  // A claim may follow an escape, for example in a link that is a parameter of another, so nothing marks its beginning.
  const tokens = new RegExp(`(?=${account})(${claimPattern})\\.(${signaturePattern()})`, "g")
  return (text) => {
    if (!includesAscii(text, account)) return text
    const before = stringOf(text)
    let seen = 0
    const after = before.replaceAll(tokens, (token, claim: string, signature: string) => {
      if (++seen > maxTokens) return token
      for (const [from, to] of replacements) {
        const purpose = purposes.find((one) => isSignedBy(crypto, ring, from(one, claim), signature))
        if (purpose !== undefined) return `${claim}.${signWith(crypto, ring, to(purpose, claim))}`
      }
      return token
    })
    return after === before ? text : after
  }
}

/**
 * Makes the links of an account's contacts invalid in a text to be stored. A link in the form in which another email stores it
 * becomes permanently invalid: otherwise a user who may read stored emails could send it to themselves and get it signed.
 */
export const concealLinks = (crypto: Crypto["Service"], ring: KeyRing, accountId: string): ReplaceLinks =>
  replaceTokens(crypto, ring, accountId, [
    [signedText, storedText],
    [storedText, voidText]
  ])

/** Makes links that `concealLinks` made invalid valid again, in a text to be sent. Their expiry does not change. */
export const revealLinks = (crypto: Crypto["Service"], ring: KeyRing, accountId: string): ReplaceLinks =>
  replaceTokens(crypto, ring, accountId, [[storedText, signedText]])

/** Makes the links in emails to be sent valid. Those of a campaign already are, because it is rendered when it is sent. */
export const emailLinks =
  (crypto: Crypto["Service"], ring: KeyRing) =>
  ({ accountId, marketing }: Pick<UnloadedSubmission, "accountId" | "marketing">): ReplaceLinks =>
    marketing?.campaign === undefined ? revealLinks(crypto, ring, accountId) : (text) => text

/** The parts of an email that contain links. */
interface LinkedContent {
  readonly html: LongText | null
  readonly text: LongText | null
  readonly headers: ReadonlyArray<{ readonly name: string; readonly value: string }>
}

/** An email with its links replaced. */
export const withLinks = <A extends LinkedContent>(replace: ReplaceLinks, email: A): A => ({
  ...email,
  html: email.html && replace(email.html),
  text: email.text && replace(email.text),
  headers: email.headers.map(({ name, value }) => ({ name, value: replace(value) }))
})
