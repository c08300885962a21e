'use server';
// Next.js refuses actions that another site's page sends.
import { randomBytes } from 'node:crypto';
import { revalidatePath } from 'next/cache';
import { notFound, redirect } from 'next/navigation';
import { deleteFace, orders } from './shop';

export async function order() {
  const ticketId = `T-${randomBytes(16).toString('hex')}`;
  orders.set(ticketId, { declined: false, notedAt: '' });
  redirect(`/orders/${ticketId}`);
}

/** An action can be called with any argument, so it checks that the order exists. */
export async function withdraw(ticketId: string) {
  if (!orders.has(ticketId)) notFound();
  await deleteFace(ticketId);
  revalidatePath(`/orders/${ticketId}`);
}
