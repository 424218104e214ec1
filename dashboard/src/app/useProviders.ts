/**
 * The identity providers at which the owner of an email address may sign in.
 *
 * @module
 */
import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { call, urlOf } from "../api/call.ts"

/** How long after the last keystroke the providers are read, in milliseconds. */
const restMillis = 300

/** A provider, with the URL at which the sign-in begins. */
export interface OfferedProvider {
  readonly id: string
  readonly name: string
  readonly url: string
}

const none: ReadonlyArray<OfferedProvider> = []

/**
 * The providers for an address that the user may still be typing. Unknown addresses get the same result, so it reveals no
 * accounts.
 */
export const useProviders = (typed: string): ReadonlyArray<OfferedProvider> => {
  const [email, setEmail] = useState(typed)
  useEffect(() => {
    const timer = setTimeout(() => setEmail(typed.trim()), restMillis)
    return () => clearTimeout(timer)
  }, [typed])
  const { data } = useQuery({
    queryKey: ["sign-in methods", email],
    queryFn: ({ signal }) => call("POST /session/start", { body: { email } }, { signal, asks: false }),
    enabled: /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email),
    retry: false
  })
  return (
    data?.methods.flatMap(({ id, kind, name }) =>
      kind === "Provider" && id !== null
        ? [{ id, name: name ?? id, url: urlOf("/session/provider/:id", { id }) }]
        : []
    ) ?? none
  )
}
