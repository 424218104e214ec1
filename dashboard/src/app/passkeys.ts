/**
 * Makes and uses passkeys, by the browser's own functions (WebAuthn, level 3), which read and write the JSON that the API has.
 *
 * @module
 */
import type { ValueOf } from "../api/call.ts"

type Options = ValueOf<"POST /session/passkey/options">

/** A browser's answer, as the API takes it. */
const answerOf = (made: PublicKeyCredential) => {
  const { clientExtensionResults, id, rawId, response, type } = made.toJSON() as
    | RegistrationResponseJSON
    | AuthenticationResponseJSON
  return { id, rawId, type, response: { ...response }, clientExtensionResults: { ...clientExtensionResults } }
}

/** Whether the browser has passkeys. */
export const hasPasskeys = (): boolean =>
  typeof PublicKeyCredential === "function" && "parseCreationOptionsFromJSON" in PublicKeyCredential

/** Whether the browser can offer passkeys in the list of a field, without being asked. */
export const canOfferPasskeys = async (): Promise<boolean> =>
  hasPasskeys() && (await PublicKeyCredential.isConditionalMediationAvailable?.()) === true

/** Closing the browser's dialog, or taking too long, is no error. */
const unlessClosed = async (asked: Promise<Credential | null>) => {
  try {
    const made = (await asked) as PublicKeyCredential | null
    return made === null ? null : answerOf(made)
  } catch (error) {
    if (error instanceof DOMException && ["NotAllowedError", "AbortError"].includes(error.name)) return null
    throw error
  }
}

/** Makes a passkey; null where the user did not want to. Rejects with `InvalidStateError` where the device has one already. */
export const makePasskey = (options: Options) =>
  unlessClosed(
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(
        options as unknown as PublicKeyCredentialCreationOptionsJSON
      )
    })
  )

/** Signs with a passkey; null where the user did not want to. With `offer` it waits until one is chosen in a field. */
export const signByPasskey = (options: Options, offer?: AbortSignal) =>
  unlessClosed(
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(
        options as unknown as PublicKeyCredentialRequestOptionsJSON
      ),
      ...(offer === undefined ? {} : { signal: offer, mediation: "conditional" as const })
    })
  )
