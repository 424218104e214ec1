/**
 * Tests the public endpoint of a server: its base URL and mail host, derived from the configuration.
 *
 * @module
 */
import { Redacted } from "effect"
import { hostname } from "node:os"
import { describe, expect, it } from "vitest"
import { defaultCallerLimits } from "../../core/shared/CallerLimits.ts"
import type { Configuration } from "../../runtimes/config/config.ts"
import {
  publicAddressesOf,
  publicEndpointOf,
  mailHostWarning,
  smtpAddressOf
} from "../../runtimes/server/publicEndpoint.ts"

const base: Configuration = {
  baseUrl: null,
  host: "127.0.0.1",
  port: 3000,
  dataDir: ".svc",
  store: { _tag: "Memory" },
  objectStorage: { _tag: "Database" },
  processes: [{ count: 1, roles: null }],
  roles: new Set(["api", "smtp", "worker"]),
  adminToken: null,
  secretKey: null,
  previousSecretKey: null,
  smtpHost: "127.0.0.1",
  smtpPorts: [],
  tls: null,
  transport: { _tag: "Direct" },
  tlsReports: true,
  mxPrivate: true,
  mxPort: 25,
  mxLocal: false,
  inboundPort: null,
  dnsServers: [],
  dnsValidates: "auto",
  trustedProxies: [],
  limits: defaultCallerLimits,
  webhookAllowPrivate: false,
  operatorEmail: null,
  systemSender: null,
  requireTwoFactors: false,
  dashboard: true,
  otlpUrl: null,
  readyFile: null,
  backupFile: null,
  machines: { userAgents: [], networks: [] },
  providers: [],
  logLevel: "None"
}

const withValues = (values: Partial<Configuration>): Configuration => ({ ...base, ...values })

const mailHostOf = (values: Partial<Configuration>) =>
  publicEndpointOf(withValues(values)).publicEndpoint.mailHost

describe("the mail host", () => {
  it("is SVC_SMTP_HOST where that is a name, else the host of the base URL, else the machine's name", () => {
    const baseUrl = "https://App.Shop.example:8443/mail"
    expect(mailHostOf({ smtpHost: "Mail.Shop.example.", baseUrl })).toBe("mail.shop.example")
    for (const smtpHost of ["127.0.0.1", "::1", "0.0.0.0", "localhost"]) {
      expect(mailHostOf({ smtpHost, baseUrl })).toBe("app.shop.example")
      expect([hostname().toLowerCase(), "localhost"]).toContain(mailHostOf({ smtpHost, baseUrl: null }))
      expect([hostname().toLowerCase(), "localhost"]).toContain(
        mailHostOf({ smtpHost, baseUrl: "http://127.0.0.1:3000" })
      )
    }
  })

  it("that is a private name causes a warning where mail may leave, and none in a trial", () => {
    const signs: ReadonlyArray<Partial<Configuration>> = [
      { store: { _tag: "Postgres", url: Redacted.make("postgres://127.0.0.1/svc"), direct: null } },
      { transport: { _tag: "Relay", url: Redacted.make("smtp://127.0.0.1") } },
      { inboundPort: 25 },
      { baseUrl: "http://192.0.2.1" }
    ]
    for (const sign of signs) {
      expect(mailHostWarning(withValues(sign))).toContain("SVC_SMTP_HOST")
      expect(mailHostWarning(withValues({ ...sign, smtpHost: "mail.shop.example" }))).toBeNull()
      expect(mailHostWarning(withValues({ ...sign, baseUrl: "https://shop.example" }))).toBeNull()
    }
    expect(mailHostWarning(base)).toBeNull()
  })

  it("listens on every address for a name, and on the address itself otherwise", () => {
    expect(smtpAddressOf(withValues({ smtpHost: "mail.shop.example" }))).toBeNull()
    for (const smtpHost of ["127.0.0.1", "::1", "localhost"]) {
      expect(smtpAddressOf(withValues({ smtpHost }))).toBe(smtpHost)
    }
  })
})

it("servers of tests on this machine are public, and private networks are where they are allowed", () => {
  const addresses = ["127.0.0.2", "10.1.2.3", "fd00::1", "1.1.1.1"]
  const publicOf = (mxLocal: boolean, mxPrivate: boolean) =>
    addresses.filter(publicAddressesOf({ mxLocal, mxPrivate }))
  expect(publicOf(false, true)).toEqual(["1.1.1.1"])
  expect(publicOf(false, false)).toEqual(["1.1.1.1"])
  expect(publicOf(true, true)).toEqual(addresses)
  expect(publicOf(true, false)).toEqual(["127.0.0.2", "1.1.1.1"])
})

describe("the base URL", () => {
  it("is the configured one, else the listening address", () => {
    const given = publicEndpointOf(withValues({ baseUrl: "https://app.shop.example" }))
    given.listensOn(4000)
    expect(given.publicEndpoint.baseUrl()).toBe("https://app.shop.example")
    const found = publicEndpointOf(withValues({ baseUrl: null, host: "::1", port: 0 }))
    expect(found.knownBaseUrl()).toBeNull()
    found.listensOn(4000)
    expect(found.publicEndpoint.baseUrl()).toBe("http://[::1]:4000")
    expect(found.knownBaseUrl()).toBe("http://[::1]:4000")
  })

  it("shows whether reports are received", () => {
    expect(publicEndpointOf(withValues({ inboundPort: 25 })).publicEndpoint.takesReports).toBe(true)
    expect(publicEndpointOf(withValues({ inboundPort: null })).publicEndpoint.takesReports).toBe(false)
  })
})
