import { pattern, type SearchWords } from './language.ts';

export const spanishWords = (): SearchWords => ({
  framing: `dónde donde cuándo cuando quién quien quiénes qué que cuál cual cuáles cómo como cuánto cuánta cuántos cuántas cuanto
    cuantos cuantas cuanta adónde di dime decir dije dicho conté mencioné recuerdas recuerda recuerdo sabes sabe saber puedes podrías
    exactamente ahora actualmente momento actual llama llaman llamo llamas nombre nombres hago hace hacer haces hay tengo tiene tienes
    he ha había soy es está estoy era debo debe tipo clase última vez realmente todavía propio algún alguna algo suelo suele sueles`,
  common: `día días semana mes meses año años hora horas minuto tiempo mañana tarde noche mediodía bueno buena nuevo nueva grande pequeño
    primer primero primera último próximo voy va vamos ir vengo viene tomo toma tomar uso usa usamos utilizo necesito quedo queda
    encuentro siempre nunca cada todo todos toda dos tres uno hombre mujer gente persona cosa parte lado lugar sitio número principio
    temprano mejor importante juntos pongo pone paso pasa más menos unos aproximadamente veces doy da tener llevo lleva`,
  asks: {
    place: pattern(String.raw`\b(?:a?d[oó]nde|qu[eé] (?:ciudad|calle|dirección|país|barrio|lugar|sitio))\b`),
    time: pattern(String.raw`\b(?:cu[aá]ndo|qu[eé] (?:hora|día|fecha|mes|año)|desde cu[aá]ndo)\b`),
    number: pattern(String.raw`\b(?:cu[aá]nt[oa]s?|qu[eé] (?:edad|número|talla))\b`),
    name: pattern(String.raw`\b(?:qui[eé]n(?:es)?|c[oó]mo se llaman?|nombres?)\b`),
  },
  past: pattern(
    String.raw`\b(?:antes|anteriormente|antiguamente|originalmente|al principio|antigu[oa]s?|anterior(?:es)?|vivía|trabajaba)\b`,
  ),
  meanings: `
    live: vivo vive vivir vivimos domicilio dirección resido residencia mudé mudado mudarme mudanza hogar trasladé instalado mudamos mudó
    flat: piso apartamento casa vivienda departamento
    work: trabajo trabaja trabajar trabajamos empleo profesión oficio puesto empresa dedico laboral curro empleado compañía contratado
    boss: jefe jefa supervisor supervisora responsable gerente encargado directora
    colleague: compañero compañera colega compañeros
    study: estudio estudia estudiar estudios universidad carrera grado máster licenciatura facultad título
    school: colegio escuela instituto alumno clase guardería
    partner: pareja marido mujer esposa esposo novio novia casado casada prometida prometido cónyuge
    child: niños críos > hijo hija hijos hijas bebé mellizos gemelos
    mother: madre mamá
    father: padre papá
    parents: padres > madre padre
    sibling: hermanos > hermana hermano
    grandmother: abuela yaya
    grandfather: abuelo yayo
    family: familia parientes > madre padre hermana hermano hijo hija tío tía primo
    pet: mascota mascotas animal animales > perro perra gato gata hámster conejo loro pájaro pez tortuga caballo
    dog: perro perra cachorro > labrador caniche pastor
    cat: gato gata gatito
    birthday: cumpleaños nací nacimiento nacido nacida
    age: edad años
    phone: teléfono móvil celular número > iphone pixel galaxy
    mail: correo email electrónico
    car: coche carro auto vehículo conduzco conducir manejo > seat renault tesla ibiza toyota volvo peugeot
    bike: bici bicicleta
    commute: trayecto voy transporte > metro bus autobús tren bici coche
    like: gusta gustan encanta encantan prefiero favorito favorita preferido preferida adoro
    hate: odio detesto molesta soporto aborrezco
    eat: como comer comida plato cena almuerzo cenar comemos comido > pizza pasta sopa ensalada paella sushi tortilla croquetas gazpacho
    drink: bebo beber bebida > café té cerveza vino agua zumo
    breakfast: desayuno desayunar > tostada cereales avena
    allergy: alergia alérgico alérgica intolerante intolerancia alergias
    diet: vegetariano vegetariana vegano vegana dieta alimentación carne
    doctor: médico médica doctor doctora consulta > dentista cardiólogo dermatóloga pediatra oculista
    dentist: dentista odontólogo
    medicine: medicamento medicamentos medicina medicación pastilla pastillas tratamiento inhalador
    illness: enfermedad enfermo padezco sufro diagnóstico diagnosticaron > diabetes asma migraña hipertensión
    sport: deporte deportes entreno entrenamiento entrenar gimnasio > corro correr natación nado fútbol tenis escalada yoga voleibol pádel boxeo remo senderismo baloncesto
    run: corro correr maratón carrera
    hobby: afición aficiones hobby pasatiempo libre ocio > pinto pintura fotografía cerámica punto colecciono jardinería ajedrez escalada senderismo bailo
    instrument: instrumento toco tocar > piano guitarra violín chelo flauta batería trompeta saxofón acordeón
    music: música grupo canción cantante escucho concierto banda
    read: leo leer libro libros novela autor autora lectura leyendo
    film: película películas serie series cine veo
    game: juego juegos videojuego jugar
    language: idioma idiomas lengua hablo hablar aprendo > español inglés francés alemán italiano portugués polaco ruso chino japonés catalán
    travel: vacaciones viaje viajar viajé vuelo avión viajo destino
    money: sueldo salario gano ingresos cobro
    price: cuesta costo coste precio pago pagar euros alquiler cuota
    bank: banco cuenta
    insurance: seguro asegurado aseguradora mutua
    rent: alquiler contrato casero casera arriendo
    meeting: reunión cita encuentro
    deadline: plazo entrega entregar fecha límite vence
    begin: empieza empiezo empezar comienza comenzar inicio
    end: termina acaba fin final terminar
    open: abre abierto horario apertura cierra
    wake: levanto levantarme despierto despertador
    sleep: duermo dormir acuesto cama sueño
    wedding: boda casé casamos casarme casado matrimonio
    buy: compré comprado compro comprar compra
    gift: regalo regaló regalar regalaron
    clothes: ropa > zapatos pantalón camisa chaqueta vestido
    size: talla altura mido calzo número cm
    color: color > rojo azul verde amarillo turquesa negro blanco morado naranja
    computer: ordenador computadora computador portátil pc > macbook thinkpad
    editor: editor ide > vim neovim emacs vscode
    system: sistema operativo > linux ubuntu windows macos debian
    programming: programación programo código lenguaje desarrollo > python rust typescript java go kotlin javascript
    database: base datos > postgresql postgres mysql sqlite mariadb
    server: servidor alojamiento alojado servidores > hetzner aws azure
    password: contraseña clave código
    wifi: wifi internet router
    project: proyecto
    customer: cliente clienta clientes
    weekday: día > lunes martes miércoles jueves viernes sábado sábados domingo domingos
    garden: jardín huerto balcón plantas > tomates rosas
    meat: carne > pollo ternera cerdo
    alcohol: alcohol > cerveza vino
    fruit: fruta frutas > manzana fresa plátano kiwi
    city: ciudad
    country: país origen
    grow: crecí infancia nací criado criada origen
    club: club asociación coro miembro socio
    volunteer: voluntario voluntaria voluntariado
    course: curso clases aprendo formación taller
    glasses: gafas lentes lentillas vista
    fear: miedo temo fobia
    smoke: fumo fumar tabaco cigarrillos
    hairdresser: peluquero peluquera peluquería
    therapist: terapeuta fisioterapeuta fisio psicóloga psicólogo terapia
    repair: taller reparación mecánico arreglar
    key: llave llaves copia
    office: oficina despacho teletrabajo
    parking: aparcamiento garaje aparco plaza parking
    cook: cocino cocinar receta
    collect: colecciono colección
    neighbor: vecino vecina vecinos
    sick: enfermo enfermedad lesión lesioné rompí operaron operación
    restaurant: restaurante bar cafetería
    shop: tienda supermercado mercado panadería
    teacher: profesor profesora maestro maestra entrenador entrenadora
    newspaper: periódico suscrito suscripción revista
    save: ahorro ahorrar ahorros
    religion: religión fe iglesia > católico protestante musulmán judío budista
    license: carnet carné licencia pasaporte dni
    blood: sangre sanguíneo
    weight: peso kilos
    goal: meta objetivo planeo quiero plan
    leader: dirijo dirige encargado responsable
    profession: profesión trabajo trabaja dedico dedica oficio gano vida empleo > enfermero enfermera médico profesor profesora maestra ingeniero ingeniera carpintero cocinero cocinera panadero abogado abogada contable programador programadora desarrollador arquitecto arquitecta diseñador diseñadora periodista dependienta vendedor matrona logopeda veterinario veterinaria farmacéutico farmacéutica electricista jardinero fotógrafo fotógrafa policía peluquera bibliotecario bibliotecaria investigador investigadora traductor traductora librera funcionario autónomo autónoma restauradora
    tax: impuestos hacienda declaración renta gestor gestoría asesor
    notes: notas apuntes cuaderno > obsidian notion
    backup: copia copias seguridad respaldo disco nas
    nickname: apodo mote llaman
    shift: turno turnos horario noche guardia
    snack: pico picar merienda dulce > chocolate patatas galletas
    dessert: postre pastel tarta dulce > tiramisú helado flan
    podcast: podcast escucho
    donate: dono donación ong apadrino
    team: equipo hincha aficionado
    together: compañero compañera piso comparto
    thesis: tesis tfm doctorado trabajo fin
    injury: lesión rodilla espalda hombro fractura rompí operaron
    train: tren ave estación
    delivery: paquete entrega pedido
    answer: respuesta respuestas responde breve conciso tutea tuteo`,
});
