'use server';
// Next.js takes actions from pages of the same host alone.
import { randomBytes } from 'node:crypto';
import { revalidatePath } from 'next/cache';
import { notFound, redirect } from 'next/navigation';
import { deleteFace, orders } from './shop';

export async function order() {
  const ticketId = `T-${randomBytes(16).toString('hex')}`;
  orders.set(ticketId, { declined: false, notedAt: '' });
  redirect(`/orders/${ticketId}`);
}

/** Anybody can call an action, with any argument: an order that is not there has no face to delete. */
export async function withdraw(ticketId: string) {
  if (!orders.has(ticketId)) notFound();
  await deleteFace(ticketId);
  revalidatePath(`/orders/${ticketId}`);
}
