/**
 * SMTP: the transports that carry mail out, the relay that takes mail in, and the port that takes reports.
 *
 * @module
 */
export { type Certificate, selfSigned } from "./Certificate.ts"
export * as RelayServer from "./relay/RelayServer.ts"
export * as ReportServer from "./reports/ReportServer.ts"
export * as Direct from "./transport/Direct.ts"
export * as Relay from "./transport/Relay.ts"
