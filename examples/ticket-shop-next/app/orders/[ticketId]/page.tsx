import { notFound } from 'next/navigation';
import { withdraw } from '../../actions';
import { faceOf, newToken, orders, widgetUrl } from '../../shop';
import { Widget } from './widget';

export default async function OrderPage({ params }: { params: Promise<{ ticketId: string }> }) {
  const { ticketId } = await params;
  const order = orders.get(ticketId);
  if (order === undefined) notFound();
  // A webhook can be late; the API is not.
  const face = await faceOf(ticketId);
  const made = face === null ? await newToken(ticketId) : null;
  const offer = order.declined ? 'You chose the standard entrance.' : 'Walk in with your face, if you like.';
  return (
    <>
      <h1>Your ticket</h1>
      <p>{ticketId}</p>
      <p id="status">{face === null ? offer : `Your face is enrolled until ${face.deleteAfter.slice(0, 10)}.`}</p>
      {face !== null && (
        <form action={withdraw.bind(null, ticketId)}>
          <button type="submit">Delete my face</button>
        </form>
      )}
      {made !== null && <Widget token={made.token} script={new URL('widget.js', widgetUrl).href} />}
    </>
  );
}
