/**
 * The screens of orders, stores and items, which are loaded together.
 *
 * @module
 */
export { Items } from "./Items.tsx"
export { Order } from "./Order.tsx"
export { Orders } from "./Orders.tsx"
export { Store } from "./Store.tsx"
export { Stores } from "./Stores.tsx"
