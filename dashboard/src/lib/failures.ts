/**
 * Says in words why a notification did not reach a webhook.
 *
 * @module
 */

type Names = Readonly<Record<string, string>>

/** The words of failures, by their codes, and of codes that begin alike, such as `tls_cert_has_expired`, by what they begin with. */
interface FailureWords {
  readonly failures: Names
  readonly failureKinds: Names
}

/** The words of a code with the code; a code that has none is shown as it is. */
export const failureText = (code: string, { failureKinds, failures }: FailureWords): string => {
  const words = failures[code] ?? failureKinds[code.replace(/_.*$/s, "")]
  return words === undefined ? code : `${words} (${code})`
}

/** Why a webhook stopped, whose last failure is named by its code at the end. */
export const stoppedText = (reason: string, words: FailureWords): string =>
  reason.replace(/(?<=: )[a-z][a-z0-9_]*$/, (code) => failureText(code, words))
