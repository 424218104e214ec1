/**
 * The screens of developers, which are loaded together.
 *
 * @module
 */
export { Events } from "./Events.tsx"
export { Keys } from "./Keys.tsx"
export { Reference } from "./Reference.tsx"
export { Requests } from "./Requests.tsx"
export { Smtp } from "./Smtp.tsx"
export { Webhook } from "./Webhook.tsx"
export { Webhooks } from "./Webhooks.tsx"
