import { signal } from '@preact/signals';

/** Whether the operator view is open in this tab, by a ticket of `svc admin open`. */
export const isOperator = signal(false);
