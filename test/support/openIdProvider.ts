/**
 * A real OpenID Connect provider on loopback, whose users sign in without interaction.
 *
 * @module
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
// The package has no types.
// @ts-expect-error
import { Provider } from "oidc-provider"

/** The claims of the provider about a person. */
export interface Person {
  readonly sub: string
  readonly email: string
  readonly email_verified?: boolean
  readonly name?: string
}

/** The part of the library that is used here. */
interface Library {
  readonly callback: () => (request: IncomingMessage, response: ServerResponse) => void
  readonly interactionFinished: (
    request: IncomingMessage,
    response: ServerResponse,
    result: object
  ) => Promise<void>
}

/** A running provider. */
export interface OpenIdProvider {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Registers a redirect URI of the client. */
  readonly register: (redirectUri: string) => void
  /** Signs a person in at a URL of the provider. Returns the URL to which the browser is redirected. */
  readonly signIn: (url: string, person: Person) => Promise<string>
  readonly stop: () => void
}

/** Starts a provider. */
export const startOpenIdProvider = async (): Promise<OpenIdProvider> => {
  let library: Library | null = null
  let person: Person = { sub: "", email: "" }
  const client = { clientId: "svc", clientSecret: "a-secret-of-the-client-0123456789" }
  const server = createServer((request, response) => {
    if (library === null) {
      response.writeHead(503).end()
    } else if (request.url?.startsWith("/interaction/") === true) {
      library
        .interactionFinished(request, response, { login: { accountId: person.sub } })
        .catch((error: unknown) => response.destroy(error as Error))
    } else {
      library.callback()(request, response)
    }
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    issuer,
    ...client,
    register: (redirectUri) => {
      library = new Provider(issuer, {
        clients: [
          { client_id: client.clientId, client_secret: client.clientSecret, redirect_uris: [redirectUri] }
        ],
        claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
        cookies: { keys: ["a key of the test"] },
        features: { devInteractions: { enabled: false } },
        interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
        findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => person }),
        loadExistingGrant: async ({ oidc }: { oidc: never }) => {
          const {
            client: of,
            provider,
            session
          } = oidc as unknown as {
            readonly client: { readonly clientId: string }
            readonly session: { readonly accountId: string }
            readonly provider: {
              readonly Grant: new (of: object) => {
                readonly addOIDCScope: (scope: string) => void
                readonly save: () => Promise<string>
              }
            }
          }
          const grant = new provider.Grant({ clientId: of.clientId, accountId: session.accountId })
          grant.addOIDCScope("openid email profile")
          await grant.save()
          return grant
        }
      }) as Library
    },
    signIn: async (url, given) => {
      person = given
      const cookies = new Map<string, string>()
      let next = url
      for (let steps = 0; steps < 10; steps++) {
        const response = await fetch(next, {
          redirect: "manual",
          headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") }
        })
        for (const one of response.headers.getSetCookie()) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(one) ?? []
          cookies.set(name, value)
        }
        const location = response.headers.get("location")
        if (location === null) throw new Error(`${next} -> ${response.status} ${await response.text()}`)
        next = new URL(location, issuer).href
        if (!next.startsWith(issuer)) return next
      }
      throw new Error("The provider redirects without end")
    },
    stop: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
