/**
 * SMTP: the transports that send mail, the relay that accepts mail from programs, and the server that accepts reports.
 *
 * @module
 */
export { type Certificate, selfSigned } from "./Certificate.ts"
export * as RelayServer from "./relay/RelayServer.ts"
export * as ReportServer from "./reports/ReportServer.ts"
export * as Direct from "./transport/Direct.ts"
export * as Relay from "./transport/Relay.ts"
export * as RoutedTransport from "./smarthost/RoutedTransport.ts"
export * as RelayProbe from "./smarthost/RelayProbe.ts"
