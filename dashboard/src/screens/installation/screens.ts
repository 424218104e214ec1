/**
 * The screens of the installation, which are loaded together.
 *
 * @module
 */
export { Access } from "./Access.tsx"
export { Audit } from "./Audit.tsx"
export { Companies } from "./Companies.tsx"
export { Configuration } from "./Configuration.tsx"
export { Database } from "./Database.tsx"
export { Logs } from "./Logs.tsx"
export { Overview } from "./Overview.tsx"
export { QueuedJobs } from "./QueuedJobs.tsx"
export { Queues } from "./Queues.tsx"
export { Users } from "./Users.tsx"
export { Held } from "./delivery/Held.tsx"
export { Lanes } from "./delivery/Lanes.tsx"
export { Providers } from "./delivery/Providers.tsx"
export { Standings } from "./delivery/Standings.tsx"
export { Source } from "./sources/Source.tsx"
export { Sources } from "./sources/Sources.tsx"
