/**
 * Sorts orders by the number that people see, as `nameOfOrder` (core/model/Order.ts) has it.
 *
 * @module
 */

/** In order, each one statement. */
export const statements: ReadonlyArray<string> = [
  `create function svc_order_name(number text) returns text language sql immutable parallel safe
    return coalesce(
      substring(svc_folded(number) from '^[^0-9]*') || lpad(left(substring(svc_folded(number) from '[0-9]+'), 20), 20, '0'), ''
    ) || coalesce(svc_folded(number), '')`,
  `create index orders_named on orders (account_id, store_id, status, (svc_order_name(number) collate "C"), id)`
]
