/**
 * Documents the orders endpoint (docs/contributing/public-api.md "Orders").
 *
 * @module
 */
import type { OperationNotes } from "../Notes.ts"
import { exampleIds, exampleTimestamp, examplePage } from "./examples.ts"

/** GET /commerce/orders. */
export const listOrders: OperationNotes = {
  description:
    "Orders of connected stores, newest first. `view`: `All`; `Paid`, paid or completed; `Pending`; `Abandoned`, left " +
    "at checkout; `Refunded`. `search` matches order number, email and name.",
  success: { 200: "A page of orders" },
  codes: [
    "validation.format",
    "validation.max_length",
    "validation.range",
    "validation.required",
    "validation.type"
  ],
  example: {
    parameters: { view: "All", page: 1, pageSize: 50 },
    value: examplePage([
      {
        id: exampleIds.order,
        storeId: exampleIds.store,
        number: "1042",
        status: "Paid",
        currency: "EUR",
        total: 49.8,
        email: "ada@example.com",
        customerName: "Ada Lovelace",
        placedAt: exampleTimestamp,
        paidAt: exampleTimestamp,
        lineCount: 2
      }
    ])
  }
}
