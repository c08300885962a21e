// Any script can fire this event, so the page only asks its server again.
document.addEventListener('svc:enrolled', () => location.reload());
