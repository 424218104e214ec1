/**
 * Computes how many emails accounts accepted recently, from their daily counts.
 *
 * @module
 */
import { deliveryStatuses } from "../../../core/model/DeliveryStatus.ts"

/**
 * SQL for the number of emails that an account accepted since the beginning of a UTC day, one for each recipient.
 *
 * @param account the column with the account's id
 * @param since the beginning of the day, in epoch milliseconds
 */
export const volumeOf = (account: string, since: number): string => {
  const counted = `account_id = ${account} and counter = any('{${deliveryStatuses.join(",")}}')
    and at >= timestamptz '${new Date(since).toISOString()}'`
  return `(coalesce((
      select sum(amount) from email_counts where dimension = 'Source' and unit = 'Day' and ${counted}
    ), 0) + coalesce((
      select sum(amount) from email_count_changes where ${counted}
    ), 0))::float8`
}
